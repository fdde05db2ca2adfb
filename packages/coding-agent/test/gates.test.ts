import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What comes from outside goes through one gate of each kind. A line of ours that passes one by is found here, by its text. */
const packagesFolder = join(import.meta.dirname, "../..");

async function sourceLines(): Promise<{ place: string; text: string }[]> {
  const found: { place: string; text: string }[] = [];
  for (const name of await readdir(packagesFolder)) {
    const folder = join(packagesFolder, name, "src");
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    for (const file of files.filter((path) => path.endsWith(".ts") && name !== "test-kit")) {
      const lines = (await readFile(join(folder, file), "utf8")).split("\n");
      found.push(...lines.map((text) => ({ place: `${name}/src/${file}`, text })));
    }
  }
  return found;
}

const lines = await sourceLines();

/** The files that have a line of that kind, comments left out. */
function filesWith(kind: RegExp): string[] {
  const places = lines.filter(({ text }) => !/^\s*(?:\/\/|\/?\*)/.test(text) && kind.test(text)).map(({ place }) => place);
  return [...new Set(places)].sort();
}

test("B2 regular expressions that are made at run time are of linear time, or of our own words", () => {
  expect(lines.length).toBeGreaterThan(20_000);
  expect(filesWith(/\bRegExp\(|\.(?:match|matchAll|search)\((?![/)])(?!\w*(?:[pP]attern|tokens|segments)\))/)).toEqual([
    // A mark of our own processes; a tag's name; the names of our own elements.
    "coding-agent/src/exec/process-table.ts",
    "coding-agent/src/prompt/delimited.ts",
    "coding-agent/src/run/compaction/conversation-text.ts",
  ]);
  expect(filesWith(/import\("re2js"\)/)).toEqual([
    "coding-agent/src/run/stream-rules/pattern-set.ts",
    "coding-agent/src/run/tool-patterns.ts",
    "coding-agent/src/tools/grep/line-matcher.ts",
    "coding-agent/src/tools/search/glob.ts",
  ]);
});

test("B7 bodies of responses are read up to a limit", () => {
  expect(filesWith(/\.(?:text|json|arrayBuffer|blob|bytes|formData)\(\)/)).toEqual([]);
  expect(filesWith(/body\??\.getReader\(|\bof \w*[rR]esponse\.body\b/)).toEqual([
    // The gates: of streams, of all else, of MCP servers; and the recorder, which passes on what is asked of it.
    "ai/src/apis/sse.ts",
    "ai/src/read-body.ts",
    "ai/src/recording/response-recorder.ts",
    "coding-agent/src/mcp/http-answers.ts",
    // The gate of the page, for the answers of its own server.
    "coding-agent/src/page/wire/read-response.ts",
  ]);
});
