import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findPackageFiles } from "../../src/packages/package-files.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const nothing = { extensions: [], skills: [], prompts: [], themes: [] };

/** Writes files of a package, and returns what is found in it by kind, as relative paths, and the problems. */
async function find(files: Record<string, string | object>, folder = "") {
  for (const [path, content] of Object.entries(files)) await workspace.write(`tools/${path}`, content);
  const problems: string[] = [];
  const root = join(workspace.root, "tools", folder);
  const found = await findPackageFiles(root, (problem) => problems.push(problem.replaceAll(root, "<root>")));
  const relative = Object.entries(found).map(([kind, paths]) => [kind, paths.map((path) => path.slice(root.length + 1))]);
  return { found: Object.fromEntries(relative), problems };
}

describe("the files of a package", () => {
  test("without a pi field: those of the folders with the usual names", async () => {
    const { found, problems } = await find({
      "package.json": { name: "tools" },
      "index.ts": "",
      "extensions/a.ts": "",
      "extensions/a.d.ts": "",
      "extensions/b/index.js": "",
      "extensions/b/help.js": "",
      "extensions/c/package.json": { pi: { extensions: ["./main.ts"] } },
      "extensions/readme.md": "",
      "skills/deep/search/SKILL.md": "",
      "skills/search/reference.md": "",
      "skills/write.md": "",
      "prompts/review.md": "",
      "prompts/more/deep.md": "",
      "prompts/.hidden/x.md": "",
      "prompts/notes.txt": "",
      "themes/dark.json": {},
    });
    expect(problems).toEqual([]);
    expect(found).toEqual({
      extensions: ["extensions/a.ts", "extensions/b/index.js", "extensions/c/main.ts"],
      skills: ["skills/deep/search/SKILL.md", "skills/write.md"],
      prompts: ["prompts/review.md", "prompts/more/deep.md"],
      themes: ["themes/dark.json"],
    });
  });

  test("with a pi field: only what it names, with globs and exclusions, also in node_modules", async () => {
    const { found, problems } = await find({
      "package.json": {
        pi: {
          extensions: ["./src/main.ts", "lib/*.ts", "!lib/old.ts", "node_modules/other/extensions"],
          skills: ["./resources/*/skills"],
          prompts: ["./resources/**/*.md", "!**/SKILL.md"],
          image: "https://host.test/x.png",
        },
      },
      "src/main.ts": "",
      "src/other.ts": "",
      "lib/new.ts": "",
      "lib/old.ts": "",
      "node_modules/other/extensions/x.js": "",
      "resources/a/skills/search/SKILL.md": "",
      "resources/b/deep/review.md": "",
      "themes/dark.json": {},
    });
    expect(problems).toEqual([]);
    expect(found).toEqual({
      extensions: ["src/main.ts", "lib/new.ts", "node_modules/other/extensions/x.js"],
      skills: ["resources/a/skills/search/SKILL.md"],
      prompts: ["resources/b/deep/review.md"],
      themes: [],
    });
  });

  test("a pi field without lists does not count; a folder with only an index is an extension", async () => {
    expect(await find({ "package.json": { pi: { video: "x" } }, "index.ts": "" })).toEqual({
      found: { ...nothing, extensions: ["index.ts"] },
      problems: [],
    });
  });

  test("beside folders of other kinds, an index in TypeScript is an extension, and one in JavaScript is not", async () => {
    const { found } = await find({ "index.ts": "", "prompts/review.md": "" });
    expect(found).toEqual({ ...nothing, extensions: ["index.ts"], prompts: ["prompts/review.md"] });
    expect(await find({ "library/index.js": "", "library/prompts/review.md": "" }, "library")).toMatchObject({
      found: { extensions: [] },
    });
  });

  test("the package's own folder as an extension is its index", async () => {
    const { found } = await find({ "package.json": { pi: { extensions: ["."] } }, "index.ts": "", "other.ts": "" });
    expect(found).toEqual({ ...nothing, extensions: ["index.ts"] });
  });

  test("what is named and does not exist is a problem; so is an unreadable package.json", async () => {
    expect(await find({ "package.json": { pi: { extensions: ["./gone.ts"], skills: ["a{b"] } } })).toEqual({
      found: nothing,
      problems: [
        "<root>/gone.ts does not exist, but its package names it in package.json.",
        expect.stringMatching(/^The skills of <root> cannot be found: .*a\{b/),
      ],
    });
    expect((await find({ "package.json": "{" })).problems).toEqual(["<root>/package.json cannot be read: it is not valid JSON."]);
  });

  test("a circle of links ends", async () => {
    await mkdir(join(workspace.root, "tools/skills/a"), { recursive: true });
    await symlink(join(workspace.root, "tools/skills"), join(workspace.root, "tools/skills/a/up"));
    const { found } = await find({ "skills/a/b/SKILL.md": "", "package.json": { pi: { skills: ["skills", "skills/**/*.md"] } } });
    expect(found.skills).toEqual(["skills/a/b/SKILL.md"]);
  });
});
