// Run by client.ts: an agent that writes the records of a file at a prompt.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const records = readFileSync(process.argv.at(-1) ?? "");
const data: Readonly<Record<string, object>> = {
  get_protocol_info: { protocolVersion: 1 },
  set_stream_mode: { mode: "deltas" },
  get_state: { streamMode: "deltas" },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, type: command } = JSON.parse(line) as { id: unknown; type: string };
    process.stdout.write(`${JSON.stringify({ id, type: "response", command, success: true, data: data[command] })}\n`);
    if (command === "prompt") process.stdout.write(records);
  })
  .on("close", () => process.exit());
