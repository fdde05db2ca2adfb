import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** The folders and files whose comments follow the rules of CONTRIBUTING, "Words". Add a folder when its comments are rewritten. */
const cleanPlaces = [
  "agent/src",
  "ai/src",
  "coding-agent/src/approvals",
  "coding-agent/src/*.ts",
  "coding-agent/src/checkpoints",
  "coding-agent/src/cli",
  "coding-agent/src/config",
  "coding-agent/src/conversation",
  "coding-agent/src/exec",
  "coding-agent/src/export",
  "coding-agent/src/extensions",
  "coding-agent/src/locks",
  "coding-agent/src/mcp",
  "coding-agent/src/models",
  "coding-agent/src/modes",
  "coding-agent/src/packages",
  "coding-agent/src/page",
  "coding-agent/src/prompt",
  "coding-agent/src/protocol",
  "coding-agent/src/render",
  "coding-agent/src/run",
  "coding-agent/src/session",
  "coding-agent/src/todo",
  "coding-agent/src/tools",
  "otel/src",
  "postgres/src",
  "rpc-client/src",
  "test-kit/src",
];

/** Words and sentences that are hard to read, and their replacements. */
const rules: { pattern: RegExp; instead: string }[] = [
  { pattern: /(?:^|[.;:] |- |@returns )(?:What|Who)\b(?![^.]*\?)/, instead: "name the thing: The result of …, The caller …" },
  {
    pattern: /\b(?:whoever|whomever|somebody|someone|nobody|anybody|everybody)\b/i,
    instead: "name the role: the caller, a listener, another process",
  },
  { pattern: /\b(?:is|are|was|were|be) told\b|\b(?:tells?|told) of\b/i, instead: "is called with, is reported, returns" },
  { pattern: /\blet(?:s|ting)? go of\b/i, instead: "releases, drops, closes" },
  { pattern: /\bgo(?:es|ing)? on with\b/i, instead: "continues" },
];

/** The comments of a file as text, each with its first line. */
function commentsOf(source: string): { line: number; text: string }[] {
  const comments: { line: number; text: string; isOpen: boolean }[] = [];
  for (const [index, line] of source.split("\n").entries()) {
    const last = comments.at(-1);
    const [, marker, text = ""] = /^\s*(\/\*\*?|\*(?!\/)|\/\/)\s?(.*)$/.exec(line) ?? [];
    const trailing = /[;{}(),] \/\/ (.*)$/.exec(line)?.[1];
    if (marker === undefined && trailing !== undefined) comments.push({ line: index + 1, text: trailing, isOpen: false });
    else if (marker === undefined) comments.push({ line: index + 1, text: "", isOpen: false });
    else if (last?.isOpen && marker !== "/**" && marker !== "/*") last.text += ` ${text}`;
    else comments.push({ line: index + 1, text, isOpen: true });
  }
  return comments.filter(({ text }) => text !== "").map(({ line, text }) => ({ line, text: text.replace(/\s*\*\/$/, "") }));
}

function problemsIn(source: string): string[] {
  return commentsOf(source).flatMap(({ line, text }) =>
    rules.filter(({ pattern }) => pattern.test(text)).map(({ instead }) => `${line}: ${text} → ${instead}`),
  );
}

test("comments of the clean folders are in plain English", () => {
  const files = cleanPlaces.flatMap((place) => globSync(place.endsWith(".ts") ? place : `${place}/**/*.ts`, { cwd: packages }));
  expect(files.length).toBeGreaterThan(cleanPlaces.length);
  const found = files.flatMap((file) =>
    problemsIn(readFileSync(`${packages}${file}`, "utf8")).map((problem) => `${file}:${problem}`),
  );
  expect(found).toEqual([]);
});

describe("the check", () => {
  test.each([
    "/** What a tool gave. */",
    "/** A tool call. What is not stored is reported. */",
    "/**\n * Stops the run,\n * and whoever waits gets an error.\n */",
    "// Who does not mind the signal must not block the caller.",
    "return; // nobody waits",
    "/** @param onError - Told of each error; the listener is told once. */",
    "/** @returns What `onClose` gets. - What else. */",
    "/** Lets go of the lock. */",
    "/** Goes on with the session. */",
  ])("finds %j", (source) => {
    expect(problemsIn(source)).toHaveLength(1);
  });

  test.each([
    "/** The result of a tool. Tell the user what failed. */",
    "/** The option that tells which of two streams it is. */",
    'const question = "What is 2 + 3?";',
    "const whoever = 1;",
    "/** The model for users who set only a key. */",
  ])("accepts %j", (source) => {
    expect(problemsIn(source)).toEqual([]);
  });
});
