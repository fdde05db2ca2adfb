import { readFile } from "node:fs/promises";
import { AiError } from "../../errors.ts";
import { createScriptedModel, playAnswers, type ScriptedAnswer, type ScriptedModel } from "./script.ts";

const fieldTypes: Readonly<Record<string, readonly string[]>> = {
  text: ["string"],
  thinking: ["string"],
  toolCalls: ["array"],
  deltas: ["number", "array"],
  delayMs: ["number"],
  error: ["object"],
  usage: ["object"],
};

/**
 * Reads a script file: one `ScriptedAnswer` a line, as JSON; blank lines are skipped.
 *
 * @throws {AiError} `unsupported` when the file cannot be read, or a line is not an answer; the message names file and line.
 */
export async function loadScriptedModel(path: string): Promise<ScriptedModel> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new AiError("unsupported", `Cannot read the script ${path}: ${reason}. Expected a JSONL file with one answer a line.`, {
      cause,
    });
  }
  const answers: ScriptedAnswer[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "") answers.push(parseAnswer(line, `${path}:${index + 1}`));
  }
  return createScriptedModel({ script: playAnswers(answers, path), id: path, provider: "script" });
}

function parseAnswer(line: string, where: string): ScriptedAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(line);
  } catch (cause) {
    throw new AiError("unsupported", `${where} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeOf(answer) !== "object") throw new AiError("unsupported", `${where} must be a JSON object, but is ${typeOf(answer)}.`);
  for (const [field, value] of Object.entries(answer as object)) {
    const expected = Object.hasOwn(fieldTypes, field) ? fieldTypes[field] : undefined;
    if (!expected)
      throw new AiError(
        "unsupported",
        `${where} has the unknown field "${field}". Known are ${Object.keys(fieldTypes).join(", ")}.`,
      );
    if (!expected.includes(typeOf(value))) {
      throw new AiError("unsupported", `${where}: "${field}" must be ${expected.join(" or ")}, but is ${typeOf(value)}.`);
    }
  }
  return answer as ScriptedAnswer;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
