// Talks to `pi --mode rpc` in raw frames, with nothing between: node main.ts --model demo/tour "Show me around"
// Options are handed to pi. PI names the program to run; default: pi. The whole protocol: docs/rpc.md.
import { spawn } from "node:child_process";

interface Frame {
  type: string;
  id?: unknown;
  [field: string]: unknown;
}

const args = process.argv.slice(2);
const prompt = args.pop() ?? "";
const [program = "pi", ...programArgs] = (process.env.PI ?? "pi").split(" ");
const pi = spawn(program, [...programArgs, "--mode", "rpc", "--stream", "deltas", ...args], { stdio: ["pipe", "pipe", "inherit"] });
pi.stdin.on("error", () => {}); // it has ended; "close" tells

const send = (frame: Frame) => pi.stdin.write(`${JSON.stringify(frame)}\n`);

/** A tool of this program: the model may ask for the time. */
const clock = { name: "clock", description: "Tells the time in UTC.", parameters: { type: "object", properties: {} } };
let exitCode = 0;

function handle(frame: Frame): void {
  switch (frame.type) {
    case "response":
      if (frame.success === true) break;
      console.error(frame.error);
      exitCode = 1;
      pi.stdin.end();
      break;
    case "message_update": {
      const step = frame.assistantMessageEvent as { type: string; delta?: string };
      if (step.type === "text_delta") process.stdout.write(step.delta ?? "");
      break;
    }
    case "message_end": {
      const { role, stopReason, errorMessage } = frame.message as { role: string; stopReason?: string; errorMessage?: string };
      if (role === "assistant") process.stdout.write("\n");
      if (role === "assistant") exitCode = stopReason === "error" || stopReason === "aborted" ? 1 : 0;
      if (errorMessage !== undefined) console.error(errorMessage);
      break;
    }
    case "host_tool_call": {
      const text = new Date().toISOString();
      send({ type: "host_tool_result", id: frame.id, result: { content: [{ type: "text", text }] } });
      break;
    }
    case "extension_ui_request":
      // Nobody is asked here: what would need a yes is not done. Without an answer the run would wait.
      send({ type: "extension_ui_response", id: frame.id, cancelled: true });
      break;
    case "agent_settled":
      pi.stdin.end(); // pi ends, with all that it has started
      break;
    default: // the rest is for those who show more
  }
}

// Records end at LF, and only there: readline would also end them at U+2028 where it is not escaped.
let held = "";
pi.stdout.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (held + chunk).split("\n");
  held = lines.pop() ?? "";
  for (const line of lines) handle(JSON.parse(line) as Frame);
});
pi.on("error", (error) => {
  console.error(`Cannot start ${program}: ${error.message}`);
  process.exitCode = 1;
});
pi.on("close", (code) => {
  process.exitCode = code === 0 ? exitCode : 1;
});
process.on("SIGINT", () => send({ type: "abort" }));

send({ id: 1, type: "set_host_tools", tools: [clock] });
send({ id: 2, type: "prompt", message: prompt });
