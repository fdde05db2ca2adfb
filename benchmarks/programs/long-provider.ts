// Forked by long-run.ts: a model provider that answers every request with one call of the tool `read`, until it is told to end. It sends its
// address, and then the number of each request and the length of its body, before it answers. It answers when the parent says so.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic, google, openai, openaiResponses, type ProviderResponse, type ResponseStep, type Wire } from "@pikit/test-kit";

/** Of a request that has arrived. */
export interface ArrivedRequest {
  turn: number;
  bodyBytes: number;
}

const path = process.argv[2] ?? "";
const lastTurn = Number(process.argv[3]);
/** The usage that a provider would report, so that pi need not estimate. */
const usage = { input: 1000, output: 50 };
let turn = 0;

const server = createServer(async (incoming, outgoing) => {
  incoming.socket.setNoDelay(true);
  let bodyBytes = 0;
  try {
    for await (const chunk of incoming) bodyBytes += (chunk as Buffer).length;
  } catch {
    return; // The client has left.
  }
  // The bytes of write-bytes.ts.
  if (incoming.url === "/sink") return void outgoing.end("ok");
  turn += 1;
  const answered = answerOf(wireOf(incoming.url ?? ""), turn);
  await tellParent({ turn, bodyBytes });
  outgoing.writeHead(200, answered.headers);
  outgoing.end(answered.steps?.filter((step: ResponseStep) => typeof step === "string").join(""));
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("disconnect", () => process.exit());

function wireOf(url: string): Wire {
  if (url.includes("/chat/completions")) return openai;
  if (url.includes("/responses")) return openaiResponses;
  return url.includes("GenerateContent") ? google : anthropic;
}

function answerOf(wire: Wire, turn: number): ProviderResponse {
  const text = { text: ["I look at ", `part ${turn} `, "of the file."] };
  if (turn >= lastTurn) return wire.answer([text], { usage });
  // The file is short: this is about the session, not about the tool.
  return wire.answer([text, { toolCall: "read", arguments: { path, offset: 1 + (turn % 40), limit: 12 }, id: `call_${turn}` }], {
    usage,
  });
}

/** The parent measures before the answer leaves: the process that asked is at rest then. */
function tellParent(request: ArrivedRequest): Promise<void> {
  return new Promise((resolve) => {
    process.once("message", () => resolve());
    process.send?.(request);
  });
}
