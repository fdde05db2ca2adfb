import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { complete, isReplayed, type Model } from "@pikit/ai";
import type { AgentSession } from "../../agent-session.ts";
import { loadParamReaders } from "./server.ts";

/** The apis whose adapters use `fetch` and do nothing else to the world. */
const httpApis: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
]);

/**
 * Makes a process that waits ready for its first prompt: loads what that needs, and has SDK and `fetch` go through their first call, which
 * takes five times as long as a second one. Never rejects.
 */
export async function warmUp(session: AgentSession): Promise<void> {
  await Promise.all([loadParamReaders(), session.warmUp()]);
  if (!session.model || session.isStreaming) return;
  await rehearse(session.model).catch(() => undefined);
}

/** Asks a server in this process in place of the model's. No key, text or header of a user takes part, and nothing leaves the machine. */
async function rehearse(model: Model): Promise<void> {
  // Node's own proxy support would carry the request elsewhere.
  if (!httpApis.has(model.api) || isReplayed(model) || process.env.NODE_USE_ENV_PROXY) return;
  const server = createServer((socket) => socket.on("error", () => undefined).end(emptyAnswer));
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // A copy without what records its calls.
    const { headers: _headers, ...copy } = structuredClone(model);
    const standIn = { ...copy, provider: "rehearsal", baseUrl: `http://127.0.0.1:${port}` };
    await complete(standIn, { messages: [{ role: "user", content: "", timestamp: 0 }] }, { firstByteTimeoutMs: 1000 });
  } finally {
    server.close();
  }
  // Reads the certificates that come with Node, once a process.
  if (model.baseUrl.startsWith("https:")) process.getBuiltinModule?.("node:tls").createSecureContext();
}

const emptyAnswer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {}\n\n";
