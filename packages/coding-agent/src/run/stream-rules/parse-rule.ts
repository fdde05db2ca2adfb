import { basename, extname } from "node:path";
import { SessionError } from "../../errors.ts";
import { ruleDefaults, type StreamRule } from "./rule.ts";

/** The front matter and the text after it. Files from Windows may begin with a byte order mark and have CRLF. */
const filePattern = /^\uFEFF?---[ \t]*\r?\n((?:[\s\S]*?\n)??)---[ \t]*(?:\r?\n|$)([\s\S]*)$/;

/**
 * Parses a rule file: Markdown whose front matter has `ttsrTrigger`, and may have `name` (default: the file's name), `description`,
 * `contextMode`, `repeatMode` and `repeatGap`. Other fields are ignored: they may belong to other programs.
 *
 * @param path - The path for errors and for the user.
 * @throws {SessionError} `invalid_input`; the message names the file, and the line of a YAML error.
 */
export async function parseStreamRule(text: string, path: string): Promise<StreamRule> {
  const match = filePattern.exec(text);
  if (!match) throw unusable(path, 'it must begin with front matter between two lines "---"');
  const fields = await readFields(match[1] ?? "", path);
  const content = (match[2] ?? "").trim();
  if (content === "") throw unusable(path, "there is no text for the model after the front matter");
  const description = readText(fields, "description", path);
  return {
    name: readText(fields, "name", path) ?? basename(path, extname(path)),
    ...(description === undefined ? {} : { description }),
    path,
    trigger: readText(fields, "ttsrTrigger", path) ?? missing(path),
    content,
    contextMode: readChoice(fields, "contextMode", ["discard", "keep"], path) ?? ruleDefaults.contextMode,
    repeatMode: readChoice(fields, "repeatMode", ["once", "after-gap"], path) ?? ruleDefaults.repeatMode,
    repeatGap: readGap(fields, path) ?? ruleDefaults.repeatGap,
  };
}

async function readFields(frontMatter: string, path: string): Promise<Map<string, unknown>> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(frontMatter, { logLevel: "silent" });
  const [error] = document.errors;
  if (error) {
    // The front matter begins in the second line of the file.
    const line = (error.linePos?.[0].line ?? 1) + 1;
    throw unusable(path, `line ${line} of its front matter is not YAML (${error.code})`);
  }
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unusable(path, "its front matter must be a list of `name: value`");
  }
  return new Map(Object.entries(value));
}

function readText(fields: Map<string, unknown>, name: string, path: string): string | undefined {
  const value = fields.get(name) ?? undefined;
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return value;
  throw unusable(path, `"${name}" must be a non-empty text`);
}

function readChoice<T extends string>(
  fields: Map<string, unknown>,
  name: string,
  choices: readonly T[],
  path: string,
): T | undefined {
  const value = fields.get(name) ?? undefined;
  const choice = choices.find((candidate) => candidate === value);
  if (value === undefined || choice !== undefined) return choice;
  throw unusable(path, `"${name}" must be ${choices.join(" or ")}, but is ${JSON.stringify(value)}`);
}

function readGap(fields: Map<string, unknown>, path: string): number | undefined {
  const value = fields.get("repeatGap") ?? undefined;
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 1)) return value;
  throw unusable(path, `"repeatGap" must be a whole number of turns, at least 1, but is ${JSON.stringify(value)}`);
}

function missing(path: string): never {
  throw unusable(path, 'it has no "ttsrTrigger", the regular expression that stops an answer');
}

function unusable(path: string, reason: string): SessionError {
  return new SessionError("invalid_input", `The stream rule ${path} cannot be used: ${reason}.`);
}
