// Adds the models of a gateway that speaks the protocol of OpenAI's chat completions: `--model gateway/small`, `--model gateway/large`.
// GATEWAY_URL says where it is, GATEWAY_KEY is its key; with another `api` the same works for other protocols.
import type { ExtensionApi } from "@pikit/coding-agent";

export default async function (pi: ExtensionApi): Promise<void> {
  await pi.registerProvider("gateway", {
    baseUrl: process.env.GATEWAY_URL ?? "http://127.0.0.1:4000/v1",
    api: "openai-completions",
    // Read when a model is asked, so that the key is in no file and can change.
    apiKey: "$GATEWAY_KEY",
    headers: { "x-team": "docs" },
    models: [
      // Prices are in US dollars per million tokens.
      { id: "small", contextWindow: 32_000, maxTokens: 4000, cost: { input: 0.1, output: 0.4, cacheRead: 0, cacheWrite: 0 } },
      { id: "large", contextWindow: 200_000, maxTokens: 16_000, reasoning: true, input: ["text", "image"] },
    ],
  });
}
