import { once } from "node:events";
import module from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { isReplayed, type Model } from "@pikit/ai";
import type { AgentSession } from "../../session/agent-session.ts";
import { createAgentSession } from "../../session/assemble/create.ts";
import { loadForRun } from "../../session/warm-up.ts";
import { RecordWriter } from "../record-writer.ts";

/** The apis whose requests go to `baseUrl` over HTTP. */
const apisOverHttp: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
]);
/** An answer without events. The prompt fails, which costs the first prompt of the user 1 to 2 ms compared with a complete answer. */
const emptyAnswer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/**
 * Prepares a waiting process for its first prompt: loads the modules, and runs one prompt in a session of its own. Loading alone leaves 36 to 63 ms
 * of CPU time until the first delta, and the prompt leaves 11 to 14; see docs/decisions/what-a-start-loads.md.
 */
export async function warmUp(session: AgentSession): Promise<void> {
  await Promise.all([import("./read-params.ts"), session.warmUp()]);
  if (session.models.current && !session.isStreaming) await rehearse(session.models.current);
  // Node does this at exit, but many hosts kill the process. Later starts would compile everything again then.
  module.flushCompileCache?.();
}

/** Loads what the first prompt needs whatever its model is, for a process that has no session yet. */
export async function loadForAnyModel(): Promise<void> {
  await Promise.all([import("./read-params.ts"), loadForRun(undefined)]);
}

/**
 * Sends a prompt in a separate session to a server of this process, which takes the place of the model's. No key, text, header or file of a user
 * takes part, no listener is called, and nothing leaves the machine.
 */
async function rehearse(model: Model): Promise<void> {
  // Node's own proxy support would send the request elsewhere.
  if (!apisOverHttp.has(model.api) || isReplayed(model) || process.env.NODE_USE_ENV_PROXY) return;
  const server = createServer((socket) => socket.on("error", () => undefined).end(emptyAnswer));
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // A copy without the function that records its calls.
    const { headers: _headers, ...copy } = structuredClone(model);
    await using rehearsal = await createAgentSession({
      model: { ...copy, provider: "rehearsal", baseUrl: `http://127.0.0.1:${port}` },
      session: "memory",
      retry: { enabled: false },
      contextFiles: false,
      discoverExtensions: false,
      ruleFiles: false,
      skills: false,
      promptTemplates: false,
      mcp: false,
      trustProject: false,
    });
    const nowhere = new RecordWriter({ write: () => undefined }, "deltas");
    rehearsal.subscribe((event) => nowhere.sendEvent(event));
    await rehearsal.prompt("-");
  } finally {
    server.close();
  }
  // Reads the certificates of Node, which happens once in a process.
  if (model.baseUrl.startsWith("https:")) process.getBuiltinModule?.("node:tls").createSecureContext();
}
