import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { anthropic, keepOpen, openai, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fetchFromProvider } from "../../src/apis/provider-fetch.ts";
import { stream } from "../../src/index.ts";
import { startHttpProxy } from "../helpers/http-proxy.ts";
import { user } from "../helpers/messages.ts";
import { testModel } from "../helpers/models.ts";

const hello = { messages: [user("hello")] };
let server: ProviderServer;

beforeEach(async () => {
  for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"])
    vi.stubEnv(name, undefined);
  server = await startProviderServer();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

describe("AI-030 proxies", () => {
  const remote = testModel("openai-completions", "http://provider.test/v1");

  test.each(["HTTP_PROXY", "http_proxy"])("a request goes through the proxy that %s names", async (variable) => {
    await using proxy = await startHttpProxy(server.url);
    vi.stubEnv(variable, proxy.url);
    server.respond(openai.text("through"));
    expect(await stream(remote, hello).result()).toMatchObject({ stopReason: "stop", content: [{ text: "through" }] });
    expect(proxy.targets).toEqual(["provider.test:80"]);
    expect(server.requests[0]?.headers.host).toBe("provider.test");
  });

  test("an abort closes the connection behind the proxy too", async () => {
    await using proxy = await startHttpProxy(server.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    server.respond({ after: new Promise(() => {}) });
    const controller = new AbortController();
    const answer = stream(remote, hello, { signal: controller.signal });
    const request = await server.nextRequest();
    controller.abort();
    expect((await answer.result()).stopReason).toBe("aborted");
    await request.closed;
  });

  test("a proxy that is not there is a network error", async () => {
    const { url } = await startHttpProxy(server.url).then(async (proxy) => {
      await proxy[Symbol.asyncDispose]();
      return proxy;
    });
    vi.stubEnv("HTTP_PROXY", url);
    const answer = stream(remote, hello);
    expect((await answer.result()).errorMessage).toContain("ECONNREFUSED");
    expect(answer.failure).toMatchObject({ code: "network", retryable: true });
  });

  test("this machine is reached without the proxy, and so is what NO_PROXY lists", async () => {
    await using proxy = await startHttpProxy(server.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "internal.invalid");
    server.respond(openai.text("a"), openai.text("b"));
    const { port } = new URL(server.url);
    for (const host of ["127.0.0.1", "localhost"]) {
      const answer = stream(testModel("openai-completions", `http://${host}:${port}`), hello);
      expect((await answer.result()).stopReason).toBe("stop");
    }
    const listed = await stream(testModel("openai-completions", "http://api.internal.invalid/v1"), hello).result();
    expect(listed.errorMessage).toContain("ENOTFOUND");
    expect(proxy.targets).toEqual([]);
  });

  test("works in a bundle as it is published, too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pikit-bundle-"));
    try {
      const { lazyBuiltins } = await import(new URL("../../../../scripts/bundle/lazy-builtins.mjs", import.meta.url).href);
      await build({
        entryPoints: [fileURLToPath(new URL("../../src/apis/provider-fetch.ts", import.meta.url))],
        outdir: folder,
        outExtension: { ".js": ".mjs" },
        bundle: true,
        splitting: true,
        format: "esm",
        platform: "node",
        plugins: [lazyBuiltins],
        logLevel: "silent",
      });
      await using proxy = await startHttpProxy(server.url);
      server.respond({ body: "through" });
      const program = `
        import { fetchFromProvider } from ${JSON.stringify(pathToFileURL(join(folder, "provider-fetch.mjs")).href)};
        console.log(await (await fetchFromProvider("http://provider.test/", {}, "test")).text());`;
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
        env: { ...process.env, HTTP_PROXY: proxy.url },
      });
      expect(stdout).toBe("through\n");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("the code for proxies is loaded only when a proxy is named", async () => {
    const program = `
      import { createRequire } from "node:module";
      import { complete } from "@pikit/ai";
      const model = ${JSON.stringify(testModel("openai-completions", server.url))};
      const { stopReason } = await complete(model, { messages: [{ role: "user", content: "hi", timestamp: 1 }] });
      const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("/undici/"));
      console.log(stopReason, loaded);`;
    server.respond(openai.text("ok"));
    const args = ["--conditions=pikit-source", "--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL("../..", import.meta.url) });
    expect(stdout).toBe("stop false\n");
  });
});

describe("AI-031 a silent server is waited for", () => {
  const names = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"].map((name) => Symbol.for(name));
  const globals = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object } | undefined>;

  test("longer than the HTTP stack's own limits for headers and for the body allow", async () => {
    await (await fetch("data:,load")).text();
    const before = names.map((name) => globals[name]);
    const current = before[1] ?? before[0];
    if (!current) throw new Error("this Node keeps its dispatcher elsewhere");
    // The limits are the same as those of 300 s, only shorter.
    const impatient = new current.constructor({ headersTimeout: 50, bodyTimeout: 50 });
    for (const [index, name] of names.entries())
      if (before[index]?.constructor === current.constructor) Object.assign(globals, { [name]: impatient });
    const failureOf = (request: Promise<Response>) =>
      request.then((response) => response.text()).catch((error) => error.cause.code as string);
    const { steps = [], headers = {} } = openai.text("slow but fine");
    const begin = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    try {
      server.respond({ headers, after: begin.promise, steps: [steps[0] ?? "", goOn.promise, ...steps.slice(1)] });
      const answer = stream(testModel("openai-completions", server.url), hello);
      await server.nextRequest();
      server.respond({ after: new Promise(() => {}) });
      expect(await failureOf(fetch(server.url))).toBe("UND_ERR_HEADERS_TIMEOUT");
      begin.resolve();
      for await (const event of answer) if (event.type === "start") break;
      server.respond({ steps: ["a", keepOpen] });
      const impatientForBodies = new current.constructor({ headersTimeout: 0, bodyTimeout: 50 });
      expect(await failureOf(fetch(server.url, { dispatcher: impatientForBodies } as RequestInit))).toBe("UND_ERR_BODY_TIMEOUT");
      goOn.resolve();
      expect(await answer.result()).toMatchObject({ stopReason: "stop", content: [{ text: "slow but fine" }] });
    } finally {
      for (const [index, name] of names.entries()) Object.assign(globals, { [name]: before[index] });
    }
  });
});

describe("SC-010 redirects", () => {
  let other: ProviderServer;

  beforeEach(async () => {
    other = await startProviderServer();
  });

  afterEach(() => other.close());

  test.each([
    { api: "anthropic-messages", wire: anthropic },
    { api: "openai-completions", wire: openai },
  ])("$api does not follow one to another host, where it would take the key", async ({ api }) => {
    for (const status of [301, 302, 303, 307, 308]) {
      server.respond({ status, headers: { location: `${other.url}/v1/elsewhere?token=1` } });
      const answer = stream(testModel(api, server.url), hello, { apiKey: "secret-key" });
      expect((await answer.result()).errorMessage).toBe(
        `test redirects to ${other.url}/v1/elsewhere with status ${status}; the redirect was not followed. If the address is correct, set it as the base URL.`,
      );
      expect(answer.failure).toMatchObject({ code: "invalid_request", retryable: false, status });
    }
    expect(other.requests).toEqual([]);
  });

  test("one to another path of the same host is followed with body and key", async () => {
    server.respond({ status: 307, headers: { location: "/v1/chat/completions/" } }, openai.text("ok"));
    const answer = stream(testModel("openai-completions", server.url), hello, { apiKey: "secret-key" });
    expect((await answer.result()).stopReason).toBe("stop");
    const [first, second] = server.requests;
    expect(second).toMatchObject({ method: "POST", path: "/v1/chat/completions/", body: first?.body });
    expect(second?.headers.authorization).toBe("Bearer secret-key");
  });

  test("a circle ends", async () => {
    for (let i = 0; i < 6; i += 1) server.respond({ status: 308, headers: { location: "/again" } });
    await expect(fetchFromProvider(server.url, { method: "POST", body: "{}" }, "test")).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("/again with status 308"),
    });
    expect(server.requests).toHaveLength(6);
  });

  test("an address that cannot be read is named as such", async () => {
    server.respond({ status: 302, headers: { location: "http://[" } });
    await expect(fetchFromProvider(server.url, {}, "test")).rejects.toThrow("test redirects to an invalid address");
  });
});

test("SC-009 a .env file in the working directory changes nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pikit-env-"));
  try {
    const bad = "http://127.0.0.1:1";
    const lines = [
      "ANTHROPIC_API_KEY=evil",
      `ANTHROPIC_BASE_URL=${bad}`,
      "OPENAI_API_KEY=evil",
      `OPENAI_BASE_URL=${bad}`,
      `HTTP_PROXY=${bad}`,
    ];
    await writeFile(join(folder, ".env"), `${lines.join("\n")}\n`);
    const models = [
      testModel("anthropic-messages", server.url, { provider: "anthropic" }),
      testModel("openai-completions", server.url, { provider: "openai" }),
    ];
    const program = `
      import { complete } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      for (const model of ${JSON.stringify(models)}) {
        const { stopReason } = await complete(model, { messages: [{ role: "user", content: "hi", timestamp: 1 }] });
        console.log(stopReason);
      }
      console.log(process.env.HTTP_PROXY);`;
    server.respond(anthropic.text("ok"), openai.text("ok"));
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: folder,
      env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: "own-a", OPENAI_API_KEY: "own-o" },
    });
    expect(stdout).toBe("stop\nstop\nundefined\n");
    expect(server.requests[0]?.headers["x-api-key"]).toBe("own-a");
    expect(server.requests[1]?.headers.authorization).toBe("Bearer own-o");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
