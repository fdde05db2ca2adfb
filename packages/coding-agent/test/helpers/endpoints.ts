import { type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { onTestFinished } from "vitest";
import type { Workspace } from "./workspace.ts";

/** Key of the providers that `serveModels` configures. */
export const testKey = "sk-test-5ecret";

/** A provider server, and a `models.json` that reaches it as `local-anthropic/claude` and `local-openai/gpt`. */
export async function serveModels(workspace: Workspace): Promise<ProviderServer> {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  const models = [{ id: "claude", contextWindow: 1000, cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }];
  await workspace.write("agent/models.json", {
    providers: {
      "local-anthropic": { baseUrl: server.url, api: "anthropic-messages", apiKey: testKey, models },
      "local-openai": { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: testKey, models: [{ id: "gpt" }] },
    },
  });
  return server;
}
