import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { isReplayed, type Model } from "@pikit/ai";
import type { AgentSession } from "../../session/agent-session.ts";
import { createAgentSession } from "../../session/assemble/create.ts";
import { RecordWriter } from "../record-writer.ts";
import { rehearsedAnswers } from "./rehearsed-answers.ts";

/**
 * Makes a process that waits ready for its first prompt: loads what that needs, and goes through a prompt once, which takes several times as
 * long as a second time.
 */
export async function warmUp(session: AgentSession): Promise<void> {
  await Promise.all([import("./read-params.ts"), session.warmUp()]);
  if (session.models.current && !session.isStreaming) await rehearse(session.models.current);
}

/**
 * A prompt of a session of its own, answered by a server in this process in place of the model's. No key, text, header or file of a user takes
 * part, nobody is told of it, and nothing leaves the machine.
 */
async function rehearse(model: Model): Promise<void> {
  const answer = rehearsedAnswers[model.api];
  // Node's own proxy support would carry the request elsewhere.
  if (answer === undefined || isReplayed(model) || process.env.NODE_USE_ENV_PROXY) return;
  const server = createServer((socket) => socket.on("error", () => undefined).end(answer));
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // A copy without what records its calls.
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
  // Reads the certificates that come with Node, once a process.
  if (model.baseUrl.startsWith("https:")) process.getBuiltinModule?.("node:tls").createSecureContext();
}
