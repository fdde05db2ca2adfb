import { AiError } from "../../errors.ts";
import { fileLimits, readWhole, reasonOf } from "../../files/index.ts";
import { findAnswerProblem } from "./answer-shape.ts";
import { createScriptedModel, playAnswers, type ScriptedAnswer, type ScriptedModel } from "./script.ts";

/**
 * Reads a script file: one `ScriptedAnswer` per line, as JSON. Blank lines are skipped.
 *
 * @throws {AiError} `unsupported` when the file cannot be read, or a line is not an answer; the message names file and line.
 */
export async function loadScriptedModel(path: string): Promise<ScriptedModel> {
  let text: string;
  try {
    text = (await readWhole(path, fileLimits.script)).toString("utf8");
  } catch (cause) {
    const expected = "Expected a JSONL file with one answer per line.";
    throw new AiError("unsupported", `Cannot read the script ${path}: ${reasonOf(cause)}. ${expected}`, { cause });
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
  const problem = findAnswerProblem(answer);
  if (problem !== undefined) throw new AiError("unsupported", where + problem);
  return answer as ScriptedAnswer;
}
