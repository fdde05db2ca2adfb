// The extension of the demo's workers, loaded like any extension of a user. It reports what its session was told, and has two tools.
// Both files are appended to before the next step, so that a killed worker has left a line for everything that has happened.
import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const { FLEET_WORKER: worker, FLEET_TOLD: toldFile = "", FLEET_LEDGER: ledgerFile = "" } = process.env;
/** Milliseconds for which a call runs on when its note is written. A worker that dies meanwhile leaves a call without a result. */
const toolMs = 10;

const parameters = {
  type: "object",
  properties: { task: { type: "string" }, note: { type: "integer" }, attempt: { type: "integer" } },
  required: ["task", "note", "attempt"],
};

const answer = (text) => ({ content: [{ type: "text", text }] });

export default function (pi) {
  const run = randomUUID();
  /** Whether the session has reported that an entry is not stored. */
  let isBehind = false;

  /** Complete messages that may not be stored yet: a handler of `message_end` comes before that. */
  let ended = [];

  pi.on("error", () => {
    isBehind = true;
  });
  pi.on("message_end", ({ message }, { sessionId: session }) => {
    const hash = createHash("sha256").update(JSON.stringify(message)).digest("base64url");
    ended.push({ worker, run, session, hash });
  });
  // By the next event they are stored, or the session has reported an error.
  for (const event of ["message_start", "tool_execution_start", "turn_end", "agent_end"]) {
    pi.on(event, () => {
      if (!isBehind) for (const message of ended) appendFileSync(toldFile, `${JSON.stringify(message)}\n`);
      ended = [];
    });
  }

  pi.registerTool({
    name: "note",
    label: "Note",
    description: "Writes a note.",
    parameters,
    async execute(call, { task, note }) {
      appendFileSync(ledgerFile, `${JSON.stringify({ worker, call, task, note })}\n`);
      await wait(toolMs);
      return answer("The note is written.");
    },
  });
  pi.registerTool({
    name: "look",
    label: "Look",
    description: "Looks whether a note is there.",
    parameters,
    async execute(_call, { task, note }) {
      const lines = readFileSync(ledgerFile, "utf8").split("\n");
      const isThere = lines.some((line) => line !== "" && JSON.parse(line).task === task && JSON.parse(line).note === note);
      return answer(isThere ? "The note is there." : "There is no such note.");
    },
  });
}
