import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { complete, loadScriptedModel } from "@pikit/ai";

/** Plays each answer of a script: its stop reason and text. */
export async function readScript(script: string): Promise<[stopReason: string, text: string][]> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-script-"));
  try {
    const file = join(folder, "script.jsonl");
    await writeFile(file, script);
    const model = await loadScriptedModel(file);
    const answers: [string, string][] = [];
    for (const line of script.split("\n")) {
      if (line.trim() === "") continue;
      const { stopReason, content } = await complete(model, { messages: [] });
      answers.push([stopReason, content.map((block) => (block.type === "text" ? block.text : "")).join("")]);
    }
    return answers;
  } finally {
    await rm(folder, { recursive: true });
  }
}
