import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The call of each SDK that streams an answer, and the text of a delta. */
const calls = {
  "@anthropic-ai/sdk": {
    call: "client.messages.create({ ...request, max_tokens: 1024 })",
    text: 'part.type === "content_block_delta" && part.delta.text',
  },
  openai: { call: "client.chat.completions.create(request)", text: "part.choices[0]?.delta.content" },
};

export type Sdk = keyof typeof calls;

/**
 * Writes a script as a user writes it, without bundling: it reads prompts from stdin, asks the model through the installed SDK, and prints what
 * comes.
 *
 * @returns The path of the script.
 */
export async function writeUserScript(root: string, sdk: Sdk, baseURL: string): Promise<string> {
  const installed = join(root, "script/node_modules", sdk);
  await mkdir(dirname(installed), { recursive: true });
  await symlink(join(import.meta.dirname, "../../packages/ai/node_modules", sdk), installed);
  const { call, text } = calls[sdk];
  const program = join(root, "script/ask.mjs");
  await writeFile(
    program,
    `import { createInterface } from "node:readline";
import Sdk from "${sdk}";

const client = new Sdk({ baseURL: "${baseURL}", apiKey: "not-a-key" });
for await (const line of createInterface({ input: process.stdin })) {
  const messages = [{ role: "user", content: JSON.parse(line).message }];
  const request = { model: "bench", messages, stream: true };
  for await (const part of await ${call}) {
    const text = ${text};
    if (text) console.log(JSON.stringify({ type: "text_delta", text }));
  }
}
`,
  );
  return program;
}
