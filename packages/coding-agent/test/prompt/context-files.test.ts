import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadContextFiles } from "../../src/prompt/context-files.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

async function load(): Promise<{ files: string[]; problems: string[]; texts: string[] }> {
  const problems: string[] = [];
  const { agentDir } = workspace;
  const found = await loadContextFiles({ cwd: join(workspace.cwd, "deep"), agentDir, report: (problem) => problems.push(problem) });
  // Folders above the workspace may have such files of their own.
  const ours = found.filter(({ path }) => path.startsWith(workspace.root));
  return { files: ours.map(({ path }) => path.slice(workspace.root.length + 1)), texts: ours.map(({ text }) => text), problems };
}

test("the user's files come first, then those of the parents, outermost first; of one folder AGENTS.md before CLAUDE.md", async () => {
  for (const path of ["work/deep/CLAUDE.md", "work/deep/AGENTS.md", "work/CLAUDE.md", "AGENTS.md", "agent/AGENTS.md"]) {
    await workspace.write(path, `text of ${path}`);
  }
  expect(await load()).toEqual({
    files: ["agent/AGENTS.md", "AGENTS.md", "work/CLAUDE.md", "work/deep/AGENTS.md", "work/deep/CLAUDE.md"],
    texts: [
      "text of agent/AGENTS.md",
      "text of AGENTS.md",
      "text of work/CLAUDE.md",
      "text of work/deep/AGENTS.md",
      "text of work/deep/CLAUDE.md",
    ],
    problems: [],
  });
});

test("a file that is there twice, by a link or as a copy, counts once; empty files do not", async () => {
  await workspace.write("work/AGENTS.md", "Use tabs.");
  await symlink("AGENTS.md", join(workspace.cwd, "CLAUDE.md"));
  await workspace.write("work/deep/AGENTS.md", "Use tabs.");
  await workspace.write("work/deep/CLAUDE.md", " \n");
  expect(await load()).toEqual({ files: ["work/AGENTS.md"], texts: ["Use tabs."], problems: [] });
});

test("what is no readable file is reported and keeps nobody waiting", async () => {
  await mkdir(join(workspace.cwd, "deep/AGENTS.md"), { recursive: true });
  execFileSync("mkfifo", [join(workspace.cwd, "AGENTS.md")]);
  await symlink("nowhere", join(workspace.cwd, "CLAUDE.md"));
  await workspace.write("AGENTS.md", "Still read.");
  expect(await load()).toEqual({
    files: ["AGENTS.md"],
    texts: ["Still read."],
    problems: [
      expect.stringMatching(/^The context file .*\/work\/AGENTS\.md cannot be read: it is not a regular file\.$/),
      expect.stringMatching(/^The context file .*\/work\/deep\/AGENTS\.md cannot be read: it is not a regular file\.$/),
    ],
  });
});

test("of a long file the beginning is read, to the end of a line; of too many the nearest", async () => {
  const line = `${"é".repeat(500)}\n`;
  for (const path of ["agent/AGENTS.md", "AGENTS.md", "work/AGENTS.md"]) await workspace.write(path, `${path}\n${line.repeat(60)}`);
  await workspace.write("work/deep/AGENTS.md", `deep\n${line.repeat(70)}`);
  const { files, texts, problems } = await load();
  expect(files).toEqual(["AGENTS.md", "work/AGENTS.md", "work/deep/AGENTS.md"]);
  expect(texts[2]).toBe(
    `deep\n${line.repeat(65)}\n[Only the first 64 KB of this file are shown. Read the rest of it where it matters.]`,
  );
  expect(problems).toEqual([
    expect.stringMatching(/^Only the first 64 KB of .*\/deep\/AGENTS\.md are read; it has 69 KB\. Shorten it\.$/),
    expect.stringMatching(/^.*\/agent\/AGENTS\.md is left out: the context files together are over 192 KB\. Shorten them\.$/),
  ]);
});
