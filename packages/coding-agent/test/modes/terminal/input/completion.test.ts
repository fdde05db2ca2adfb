import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type CompletedCommand, Completion } from "../../../../src/modes/terminal/input/completion.ts";
import type { AutocompleteItem } from "../../../../src/modes/terminal/library.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";
import { key, TestEditor } from "./helpers.ts";

const workspace = useWorkspace();

const commands: CompletedCommand[] = [
  {
    name: "model",
    description: "Choose\nthe \x1b[31mmodel",
    completeArguments: (typed) =>
      ["gpt-5", "claude"].filter((name) => name.startsWith(typed)).map((value) => ({ value, label: value })),
  },
  { name: "new" },
  { name: "model", description: "of an extension" },
  { name: "resume", description: "Open a session" },
];

function create(): Completion {
  return new Completion({ cwd: () => workspace.cwd, commands: async () => commands });
}

const signal = new AbortController().signal;

/** The line after taking each offered item. `|` is the cursor. */
async function complete(typed: string, { force = false, completion = create() } = {}): Promise<string[]> {
  const [before = "", after = ""] = typed.split("|");
  const lines = [before + after];
  const found = await completion.getSuggestions(lines, 0, before.length, { signal, force });
  return (found?.items ?? []).map((item) => {
    const result = completion.applyCompletion(lines, 0, before.length, item, found?.prefix ?? "");
    const [line = ""] = result.lines;
    return `${line.slice(0, result.cursorCol)}|${line.slice(result.cursorCol)}`;
  });
}

const tab = (typed: string) => complete(typed, { force: true });

async function makeProject(): Promise<void> {
  await mkdir(join(workspace.cwd, ".git"));
  await workspace.write("work/.gitignore", "dist/\n*.log\n");
  for (const file of ["README.md", "src/index.ts", "src/prompt-editor.ts", "src/my notes/to do.md", "dist/out.js", "x.log"]) {
    await workspace.write(`work/${file}`, "");
  }
  await workspace.write("work/node_modules/left/index.js", "");
  await workspace.write("outside/file.txt", "");
}

describe("files after @", () => {
  test.each<[typed: string, lines: string[]]>([
    ["see @ind|", ["see @src/index.ts |"]],
    ["see @IND|", ["see @src/index.ts |"]],
    ["@pe|", ["@src/prompt-editor.ts |"]],
    ["@sr|", ["@src/|", "@src/index.ts |", '@"src/my notes/|', "@src/prompt-editor.ts |", '@"src/my notes/to do.md" |']],
    ["(@ind|)", ["(@src/index.ts |)"]],
    ["@ind| it", ["@src/index.ts |it"]],
    ["@todo|", ['@"src/my notes/to do.md" |']],
    ['@"to d|"', ['@"src/my notes/to do.md" |']],
    ['@"to d|" it', ['@"src/my notes/to do.md" |it']],
    // Ignored, but named.
    ["@dist/|", ["@dist/out.js |"]],
    ["@../out|", ["@../outside/|"]],
    ["@../outside/|", ["@../outside/file.txt |"]],
    ["@..|", ["@../|"]],
    ["@~|", ["@~/|"]],
    ["@out.js|", []],
    ["@nothing like this|", []],
    ["a@ind|", []],
    ["@ind |", []],
    ["/review @ind|", ["/review @src/index.ts |"]],
    ["!git show @{u|", []],
  ])("%s", async (typed, lines) => {
    await makeProject();
    expect(await complete(typed)).toEqual(lines);
  });

  test("without a name: what is in the folder first, hidden files behind the others", async () => {
    await makeProject();
    const lines = await complete("@|");
    expect(lines.slice(0, 5)).toEqual(["@README.md |", "@node_modules/|", "@src/|", "@.gitignore |", "@src/index.ts |"]);
    // Ignored, or inside node_modules.
    expect(lines.filter((line) => /dist|\.log|left/.test(line))).toEqual([]);
  });

  test("absolute paths, and those of the home folder", async () => {
    await makeProject();
    expect(await complete(`@${workspace.root}/outs|`)).toEqual([`@${workspace.root}/outside/|`]);
    vi.stubEnv("HOME", workspace.root);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await complete("@~/outs|")).toEqual(["@~/outside/|"]);
  });

  test("names that a mention cannot express are left out", async () => {
    for (const name of ['say "hi".md', "line\nbreak.md", "fine.md"]) await workspace.write(`work/${name}`, "");
    expect(await complete("@|")).toEqual(["@fine.md |"]);
  });

  test("a missing folder offers nothing", async () => {
    const completion = new Completion({ cwd: () => join(workspace.root, "missing"), commands: async () => [] });
    expect(await complete("@|", { completion })).toEqual([]);
    expect(await complete("@x|", { completion })).toEqual([]);
  });

  test("an aborted request offers nothing", async () => {
    await makeProject();
    const found = await create().getSuggestions(["@"], 0, 1, { signal: AbortSignal.abort() });
    expect(found).toBeNull();
  });
});

describe("commands", () => {
  test.each<[typed: string, lines: string[]]>([
    ["/|", ["/model |", "/new |", "/resume |"]],
    ["  /r|", ["  /resume |"]],
    ["/mdl|", ["/model |"]],
    ["/xyz|", []],
    ["/model |", ["/model gpt-5|", "/model claude|"]],
    ["/model c|", ["/model claude|"]],
    ["/new |", []],
    ["/unknown |", []],
    ["a /|", []],
    ["/etc/|", []],
  ])("%s", async (typed, lines) => {
    expect(await complete(typed)).toEqual(lines);
  });

  test("descriptions are one line and safe for the terminal; of two commands with one name the first counts", async () => {
    const found = await create().getSuggestions(["/"], 0, 1, { signal });
    expect(found?.items).toEqual([
      { value: "/model ", label: "/model", description: "Choose the model" },
      { value: "/new ", label: "/new" },
      { value: "/resume ", label: "/resume", description: "Open a session" },
    ]);
  });

  test("commands are in the first line only", async () => {
    expect(await create().getSuggestions(["a", "/"], 1, 1, { signal })).toBeNull();
  });

  test("a failing list of commands offers nothing", async () => {
    const completion = new Completion({ cwd: () => workspace.cwd, commands: () => Promise.reject(new Error("gone")) });
    expect(await complete("/|", { completion })).toEqual([]);
  });
});

describe("paths with Tab", () => {
  test.each<[typed: string, lines: string[]]>([
    ["look at sr|", ["look at src/|"]],
    ["look at SR|", ["look at src/|"]],
    ["src/my|", ['"src/my notes/|']],
    ['in "src/my|', ['in "src/my notes/|']],
    ["in 'src/my notes/t|", ["in 'src/my notes/to do.md' |"]],
    ["don't look at REA|", ["don't look at README.md |"]],
    [".gi|", [".git/|", ".gitignore |"]],
    ["|", []],
    ["look at |", []],
    ["!cat src/my|", ["!cat src/my\\ notes/|"]],
    ["!cat src/my\\ notes/|", ["!cat src/my\\ notes/to\\ do.md |"]],
    ['!cat "src/my n|', ['!cat "src/my notes/|']],
    ['!cat "src/my notes/t|"', ['!cat "src/my notes/to do.md" |']],
    ["!cat <REA|", ["!cat <README.md |"]],
    ["!!wc -l;cat REA|", ["!!wc -l;cat README.md |"]],
    ["!REA|", ["!README.md |"]],
    ["!ls s|", ["!ls src/|"]],
  ])("%s", async (typed, lines) => {
    await makeProject();
    expect(await tab(typed)).toEqual(lines);
    if (!typed.startsWith("!")) expect(await complete(typed)).toEqual([]);
  });

  test("a link to a folder is a folder", async () => {
    await makeProject();
    await symlink(join(workspace.root, "outside"), join(workspace.cwd, "link"));
    expect(await tab("li|")).toEqual(["link/|"]);
  });
});

test("taking a completion changes nothing but the text before the cursor, and a space or quote behind it", () => {
  const completion = create();
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const parts = fc.record({
    above: fc.array(text, { maxLength: 3 }),
    below: fc.array(text, { maxLength: 3 }),
    before: text,
    prefix: text,
    after: text,
    value: text,
  });
  fc.assert(
    fc.property(parts, ({ above, below, before, prefix, after, value }) => {
      const lines = [...above, before + prefix + after, ...below];
      const item: AutocompleteItem = { value, label: value };
      const cursorCol = before.length + prefix.length;
      const result = completion.applyCompletion(lines, above.length, cursorCol, item, prefix);
      const [line = ""] = result.lines.splice(above.length, 1);
      expect(result.lines).toEqual([...above, ...below]);
      expect([result.cursorLine, line.slice(0, result.cursorCol)]).toEqual([above.length, before + value]);
      const rest = line.slice(result.cursorCol);
      expect(after.endsWith(rest)).toBe(true);
      const dropped = after.slice(0, after.length - rest.length);
      expect(["", " ", '"', "'", '" ', "' "]).toContain(dropped);
      expect(value.includes(dropped)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe("in the editor", () => {
  test("the list is below the text; Tab takes a row, Escape closes the list", async () => {
    await makeProject();
    const editor = new TestEditor({ completion: create() });
    editor.type("see @sr");
    await editor.shown(() => editor.editor.isCompleting);
    expect(editor.lines()).toEqual([
      "› see @sr|",
      "  → src/",
      "    src/index.ts",
      "    src/my notes/",
      "    src/prompt-editor.ts",
      "    src/my notes/to do.md",
    ]);
    editor.press(key.down, key.tab);
    expect(editor.lines()).toEqual(["› see @src/index.ts |"]);
    editor.type("@r");
    await editor.shown(() => editor.editor.isCompleting);
    expect(editor.press(key.escape)).toBe(true);
    expect([editor.editor.isCompleting, editor.press(key.escape)]).toEqual([false, false]);
  });

  test("Ctrl-C is for the session, which clears the text and so closes the list", async () => {
    await makeProject();
    const editor = new TestEditor({ completion: create() });
    editor.type("see @sr");
    await editor.shown(() => editor.editor.isCompleting);
    expect(editor.press("\x03")).toBe(false);
    editor.editor.clear();
    expect([editor.editor.isCompleting, editor.editor.text]).toEqual([false, ""]);
  });

  test("Enter takes a command and sends it", async () => {
    const editor = new TestEditor({ completion: create() });
    editor.type("/mo");
    await editor.shown(() => editor.editor.isCompleting);
    expect(editor.lines(60)).toEqual(["› /mo|", "  → /model      Choose the model"]);
    editor.press(key.enter);
    expect(editor.texts).toEqual(["/model"]);
  });

  test("Enter takes a file and sends nothing", async () => {
    await makeProject();
    const editor = new TestEditor({ completion: create() });
    editor.type("@ind");
    await editor.shown(() => editor.editor.isCompleting);
    editor.press(key.enter);
    expect([editor.lines(), editor.texts]).toEqual([["› @src/index.ts |"], []]);
  });

  test("Tab completes a path in a shell command", async () => {
    await makeProject();
    const editor = new TestEditor({ completion: create() });
    editor.type("!cat src/my");
    editor.press(key.tab);
    await editor.shown(() => editor.editor.text.endsWith("/"));
    expect(editor.lines()).toEqual(["$ !cat src/my\\ notes/|"]);
  });
});
