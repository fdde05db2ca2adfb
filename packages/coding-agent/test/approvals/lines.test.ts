import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { judgeLine } from "../../src/approvals/findings.ts";
import type { FileAccess } from "../../src/tools/files/file-access.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";

/** A machine on which every path exists and none is a link. */
const files: FileAccess = { ...localFiles, homeFolder: "/home/user", realpath: async (path) => path };

interface Line {
  command: string;
  /** Marked with `??`: the policy on-risk does not do what the table is about, and the table says so. */
  isException: boolean;
}

async function readLines(name: string): Promise<Line[]> {
  const text = await readFile(join(import.meta.dirname, "lines", name), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => {
      const isException = line.startsWith("?? ");
      const command = (isException ? line.slice(3) : line).replaceAll("⏎", "\n").replaceAll("⇥", "\t");
      return { command, isException };
    });
}

/** The reasons to ask under each policy. */
async function judge(command: string): Promise<{ onRisk: string[]; unlessSafe: string[] }> {
  const { findings } = await judgeLine(command, { cwd: "/home/user/project", files });
  return {
    onRisk: findings.filter(({ isRisky }) => isRisky).map(({ reason }) => reason),
    unlessSafe: findings.map(({ reason }) => reason),
  };
}

const tables: { risky: Line[]; everyday: Line[] } = { risky: [], everyday: [] };

beforeAll(async () => {
  tables.risky = await readLines("risky.txt");
  tables.everyday = await readLines("everyday.txt");
});

async function commandsWhere(
  lines: readonly Line[],
  isSo: (judged: Awaited<ReturnType<typeof judge>>) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const { command } of lines) if (isSo(await judge(command))) found.push(command);
  return found;
}

describe("risky lines", () => {
  test("there are at least 400 different ones", () => {
    expect(new Set(tables.risky.map(({ command }) => command)).size).toBeGreaterThanOrEqual(400);
    expect(new Set(tables.risky.map(({ command }) => command)).size).toBe(tables.risky.length);
  });

  test("none is silent under unless-safe", async () => {
    expect(await commandsWhere(tables.risky, ({ unlessSafe }) => unlessSafe.length === 0)).toEqual([]);
  });

  test("on-risk asks about all but the marked ones", async () => {
    const marked = tables.risky.filter(({ isException }) => isException).map(({ command }) => command);
    expect(await commandsWhere(tables.risky, ({ onRisk }) => onRisk.length === 0)).toEqual(marked);
    expect(marked.length).toBeLessThanOrEqual(tables.risky.length / 100);
  });
});

describe("everyday lines", () => {
  test("there are at least 400 different ones", () => {
    expect(new Set(tables.everyday.map(({ command }) => command)).size).toBeGreaterThanOrEqual(400);
    expect(new Set(tables.everyday.map(({ command }) => command)).size).toBe(tables.everyday.length);
  });

  test("on-risk asks about the marked ones only, at most 2 % of them", async () => {
    const marked = tables.everyday.filter(({ isException }) => isException).map(({ command }) => command);
    expect(await commandsWhere(tables.everyday, ({ onRisk }) => onRisk.length > 0)).toEqual(marked);
    expect(marked.length).toBeLessThanOrEqual(tables.everyday.length / 50);
  });

  test("unless-safe asks nothing about lines that read, or write in the working folder", async () => {
    const silent = await commandsWhere(tables.everyday, ({ unlessSafe }) => unlessSafe.length === 0);
    expect(silent).toEqual(
      expect.arrayContaining([
        "git status",
        "git diff --cached --stat",
        "rg --files | head",
        "mkdir -p src/components/ui",
        "git add -A",
      ]),
    );
    expect(silent.length).toBeGreaterThan(200);
  });
});

test("the examples of docs/approvals.md are as it says", async () => {
  const text = await readFile(join(import.meta.dirname, "../../../../docs/approvals.md"), "utf8");
  const [, table = ""] = /^### Risky effects$(.*?)^`unless-safe` also/ms.exec(text) ?? [];
  const rows = table.split("\n").filter((row) => row.startsWith("| ") && !row.startsWith("| effect"));
  const commandsOf = (part: string) =>
    [...part.matchAll(/`([^`]+)`/g)]
      .map(([, code = ""]) => code.replaceAll("\\|", "|"))
      // Names of files, and examples that are cut short.
      .filter((code) => !/…|^\.|^open|^shutil|^write|:$/.test(code));
  const examples = rows.map((row) => (row.split(" | ")[1] ?? "").split(/; not |, nor /));
  const asked = examples.flatMap(([first = ""]) => commandsOf(first));
  const silent = examples.flatMap(([, ...others]) => others.flatMap(commandsOf));
  expect([asked.length > 40, silent.length > 4]).toEqual([true, true]);
  const lines = (commands: readonly string[]) => commands.map((command) => ({ command, isException: false }));
  const partial = ["rm link/../file", "git clean -f", "python -c", "node -e", "pkill", "mount", "scp x host:"];
  expect(
    (await commandsWhere(lines(asked), ({ onRisk }) => onRisk.length === 0)).filter((command) => !partial.includes(command)),
  ).toEqual([]);
  expect(await commandsWhere(lines(silent), ({ onRisk }) => onRisk.length > 0)).toEqual([]);
});
