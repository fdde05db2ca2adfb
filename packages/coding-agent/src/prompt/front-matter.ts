/** Matches the front matter of a Markdown file and the rest. Files from Windows may begin with a byte order mark and have CRLF. */
const filePattern = /^\uFEFF?---[ \t]*\r?\n((?:[\s\S]*?\n)??)---[ \t]*(?:\r?\n|$)([\s\S]*)$/;
const plainLine = /^([A-Za-z][\w-]*):(?:[ \t](.*))?$/;

/** A Markdown file and the fields of its front matter. */
export interface FrontMatterFile {
  /** Scalars are strings, even `true` and `12`. Empty if there is no front matter. */
  fields: ReadonlyMap<string, unknown>;
  body: string;
}

/** Divides a Markdown file. `frontMatter`: its YAML; undefined if there is none. */
export function splitFrontMatter(text: string): { frontMatter: string | undefined; body: string } {
  const match = filePattern.exec(text);
  return match
    ? { frontMatter: match[1] ?? "", body: match[2] ?? "" }
    : { frontMatter: undefined, body: text.replace(/^\uFEFF/, "") };
}

/**
 * Parses a Markdown file with front matter. Front matter that is not valid YAML, but has only lines `name: value`, is read line by line: many
 * files have a colon in an unquoted description.
 *
 * @throws {Error} When the front matter cannot be parsed; the message names the line, but not the file.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatterFile> {
  const { frontMatter, body } = splitFrontMatter(text);
  if (frontMatter === undefined) return { fields: new Map(), body };
  const { parseDocument } = await import("yaml");
  const document = parse(frontMatter, (source) => parseDocument(source, { schema: "failsafe", logLevel: "silent" }));
  const [error] = document.errors;
  if (error) {
    const fields = readPlainLines(frontMatter);
    if (fields) return { fields, body };
    // The front matter begins in the second line of the file.
    throw new Error(`line ${(error.linePos?.[0].line ?? 1) + 1} of its front matter is not YAML (${error.code})`);
  }
  return { fields: toFields(document), body };
}

/** Reports a stack overflow of the recursive parser as too deep nesting. */
function parse<T>(source: string, parseText: (source: string) => T): T {
  try {
    return parseText(source);
  } catch {
    throw new Error("its front matter is nested too deep");
  }
}

function toFields(document: { toJS(options: { maxAliasCount: number }): unknown }): Map<string, unknown> {
  let value: unknown;
  try {
    // With references, a short text could expand to a huge value.
    value = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new Error("its front matter has YAML references, which are not followed");
  }
  if (value === null || value === undefined || value === "") return new Map();
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("its front matter must be a list of `name: value`");
  return new Map(Object.entries(value));
}

function readPlainLines(text: string): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, value = ""] = plainLine.exec(line.trimEnd()) ?? [];
    if (name === undefined) return undefined;
    fields.set(name, value.trim().replace(/^(["'])(.*)\1$/, "$2"));
  }
  return fields;
}

/** The trimmed text of a field; undefined for a blank text or another type. */
export function textField({ fields }: FrontMatterFile, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
