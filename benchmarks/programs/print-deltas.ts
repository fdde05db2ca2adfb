// Run by stream.ts without its types: what nobody can do without. At a prompt it fetches a reply, cuts it into lines, parses them and prints one
// small line a delta. It speaks as much of the protocol as a benchmark asks for.
import { enableCompileCache } from "node:module";

interface Event {
  delta?: { text?: string };
  choices?: { delta: { content?: string } }[];
}

enableCompileCache();
const [url = ""] = process.argv.slice(2);

async function ask(message: string): Promise<void> {
  const { body } = await fetch(url, { method: "POST", body: JSON.stringify({ message }) });
  const decoder = new TextDecoder();
  let rest = "";
  let answer = "";
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    let output = "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const { delta, choices } = JSON.parse(line.slice(6)) as Event;
      const text = delta?.text ?? choices?.[0]?.delta.content;
      if (!text) continue;
      answer += text;
      output += `${JSON.stringify({ type: "text_delta", delta: text })}\n`;
    }
    if (output !== "") process.stdout.write(output);
  }
  process.stdout.write(`${JSON.stringify({ type: "agent_end", answer })}\n`);
}

process.stdin.setEncoding("utf8").on("data", (line: string) => {
  const { type, message = "" } = JSON.parse(line) as { type: string; message?: string };
  if (type === "get_state") process.stdout.write('{"type":"response","command":"get_state","success":true}\n');
  else void ask(message);
});
