import { openai, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { azureEndpointOf } from "../../src/apis/openai-azure.ts";
import { stream } from "../../src/index.ts";
import { user } from "../helpers/messages.ts";
import { testModel } from "../helpers/models.ts";

const resource = "https://res.openai.azure.com";
const model = testModel("openai-completions", resource, { provider: "azure-openai", id: "gpt-5.1" });

beforeEach(() => {
  for (const name of ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_VERSION"]) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("OC-032 Azure's address", () => {
  test.each(["", "/", "/openai", "/openai/", "/v1", "/openai/v1", "/openai/v1/", "/openai/deployments/mine"])(
    "is the same for a base URL that ends in “%s”",
    (suffix) => {
      expect(azureEndpointOf({ ...model, baseUrl: resource + suffix })?.baseUrl).toBe(`${resource}/openai/v1`);
    },
  );

  test("keeps the path of a gateway in front of it", () => {
    expect(azureEndpointOf({ ...model, baseUrl: "https://gw.example.com/team/azure" })?.baseUrl).toBe(
      "https://gw.example.com/team/azure/openai/v1",
    );
  });

  test("goes by the deployment for dated versions, as each api has it", () => {
    const dated = { ...model, compat: { azureApiVersion: "2024-10-21", azureDeployment: "my gpt" } };
    expect(azureEndpointOf(dated)).toEqual({
      baseUrl: `${resource}/openai/deployments/my%20gpt`,
      azureDeployment: "my gpt",
      azureApiVersion: "2024-10-21",
    });
    expect(azureEndpointOf({ ...dated, api: "openai-responses" })?.baseUrl).toBe(`${resource}/openai`);
  });

  test("and its version come from the environment where the model has none", () => {
    const bare = { ...model, baseUrl: "" };
    expect(() => azureEndpointOf(bare)).toThrow("No base URL for azure-openai. Set AZURE_OPENAI_BASE_URL in the environment");
    vi.stubEnv("AZURE_OPENAI_ENDPOINT", `${resource}/`);
    vi.stubEnv("AZURE_OPENAI_API_VERSION", "preview");
    expect(azureEndpointOf(bare)).toMatchObject({ baseUrl: `${resource}/openai/v1`, azureApiVersion: "preview" });
    vi.stubEnv("AZURE_OPENAI_BASE_URL", "https://other.openai.azure.com");
    expect(azureEndpointOf(bare)?.baseUrl).toBe("https://other.openai.azure.com/openai/v1");
  });

  test("is recognised by provider and by host, and nothing else is taken for it", () => {
    const hosts = [
      "https://a.openai.azure.com",
      "https://a.cognitiveservices.azure.com",
      "https://a.services.ai.azure.com/openai/v1",
    ];
    for (const baseUrl of hosts) expect(azureEndpointOf({ ...model, provider: "mine", baseUrl })).toBeDefined();
    expect(azureEndpointOf({ ...model, provider: "mine", baseUrl: "https://azure.com.example.org" })).toBeUndefined();
  });
});

describe("OC-032 a request to Azure", () => {
  let server: ProviderServer;

  beforeEach(async () => {
    server = await startProviderServer();
  });

  afterEach(() => server.close());

  test("names the deployment and the version and has the key in api-key; the message keeps the model's id", async () => {
    server.respond(openai.text("ok"));
    const deployed = { ...model, baseUrl: server.url, compat: { azureDeployment: "my-gpt" } };
    const message = await stream(deployed, { messages: [user("hi")] }, { apiKey: "secret-key" }).result();
    expect(message).toMatchObject({ stopReason: "stop", model: "gpt-5.1", provider: "azure-openai" });
    const [request] = server.requests;
    expect(request?.path).toBe("/openai/v1/chat/completions?api-version=v1");
    expect(request?.body).toMatchObject({ model: "my-gpt" });
    expect(request?.headers).toMatchObject({ "api-key": "secret-key" });
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  test("may carry a token of the caller instead of the key", async () => {
    server.respond(openai.text("ok"));
    const headers = { Authorization: "Bearer entra-token" };
    await stream({ ...model, baseUrl: server.url }, { messages: [user("hi")] }, { apiKey: "secret-key", headers }).result();
    expect(server.requests[0]?.headers.authorization).toBe("Bearer entra-token");
    expect(server.requests[0]?.headers).not.toHaveProperty("api-key");
  });
});
