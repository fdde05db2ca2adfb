// An agent whose tools work on files in memory: what it reads, writes and runs never touches the folders of this machine.
// The model is scripted, so that this runs without a key. Name a real one with `model: "anthropic/…"`.
import { createAgentSession, createScriptedModel } from "@pikit/coding-agent";
import { MemoryFiles } from "./memory-files.ts";
import { createScratchRunner } from "./scratch-runner.ts";

const files = new MemoryFiles();
await files.mkdir("/project");
await files.replace("/project/names.txt", "Ada\nGrace\n", new AbortController().signal);

const call = (name: string, args: Record<string, unknown>) => ({ text: "", toolCalls: [{ name, arguments: args }] });
const model = createScriptedModel({
  script: [
    call("read", { path: "names.txt" }),
    call("write", {
      path: "bin/greet.sh",
      content: 'while read -r name; do echo "Hello $name"; done < names.txt > greetings.txt\n',
    }),
    call("bash", { command: "sh bin/greet.sh && wc -l < greetings.txt && (env | grep -c API_KEY || true)" }),
    call("edit", { path: "greetings.txt", oldText: "Hello Ada", newText: "Good morning, Ada" }),
    call("read", { path: "greeting.txt" }),
    { text: "Two greetings are written." },
  ],
});

const session = await createAgentSession({
  cwd: "/project",
  model,
  session: "memory",
  contextFiles: false,
  tools: ["read", "write", "edit", "bash"],
  files,
  runProcess: createScratchRunner(files),
});
session.subscribe((event) => {
  if (event.type !== "tool_execution_end") return;
  const text = event.result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  console.log(`${event.toolName}: ${text.trim().replaceAll("\n", " | ")}`);
});
await session.prompt("Greet everybody in names.txt.");
await session.dispose();

for (const [path, content] of files.list()) console.log(`${path} = ${JSON.stringify(Buffer.from(content).toString())}`);
