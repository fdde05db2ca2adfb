import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertLinear, cpuMs } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { assessShell } from "../../src/approvals/shell/assess-shell.ts";
import type { FileAccess } from "../../src/tools/files/file-access.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { useTempFolder } from "../exec/temp-folder.ts";
import { harmlessLines } from "./harmless-lines.ts";
import { riskyLines } from "./risky-lines.ts";

/** A machine on which every path exists and none is a link. */
const files: FileAccess = { ...localFiles, homeFolder: "/home/user", realpath: async (path) => path };

function assess(command: string) {
  return assessShell(command, { cwd: "/home/user/project", files });
}

describe("lines", () => {
  test.each(harmlessLines.map((line) => ({ line })))("harmless: $line", async ({ line }) => {
    expect(await assess(line)).toEqual({ tier: "execute", reasons: [] });
  });

  const risky = riskyLines.flatMap(([reasons, lines]) => lines.map((line) => ({ line, reasons })));
  test.each(risky)("risky: $line", async ({ line, reasons }) => {
    expect(await assess(line)).toEqual({ tier: "confirm_required", reasons });
  });
});

describe("real paths", () => {
  const folder = useTempFolder();

  async function assessReal(command: string) {
    return assessShell(command, { cwd: join(folder.path, "project"), files: localFiles });
  }

  test("a link out of the working folder is followed, also one to nothing and one on the way", async () => {
    await mkdir(join(folder.path, "project"));
    await mkdir(join(folder.path, "other"));
    await symlink(join(folder.path, "other"), join(folder.path, "project/out"));
    await symlink("../missing", join(folder.path, "project/dangling"));
    await symlink("dangling/deeper", join(folder.path, "project/twice"));
    for (const path of ["out/x", "out/new/x", "dangling", "twice/x"]) {
      expect(await assessReal(`touch ${path}`)).toEqual({
        tier: "confirm_required",
        reasons: [`changes something outside the working folder: ${join(folder.path, "project", path)}`],
      });
    }
  });

  test("a link inside the working folder and a working folder that is one itself are no risk", async () => {
    await mkdir(join(folder.path, "real/src"), { recursive: true });
    await symlink("real", join(folder.path, "project"));
    await symlink("src", join(folder.path, "real/link"));
    await writeFile(join(folder.path, "real/src/a"), "");
    for (const command of [
      "touch link/a",
      "touch src/b",
      "rm a",
      `touch ${folder.path}/project/x`,
      `touch ${folder.path}/real/x`,
    ]) {
      expect(await assessReal(command)).toEqual({ tier: "execute", reasons: [] });
    }
  });

  test("links in a circle lead nowhere that is known", async () => {
    await mkdir(join(folder.path, "project"));
    await symlink("b", join(folder.path, "project/a"));
    await symlink("a", join(folder.path, "project/b"));
    expect(await assessReal("touch a/x")).toMatchObject({ tier: "confirm_required" });
  });
});

describe("hostile input", () => {
  const pieces = {
    words: "a ",
    quotes: "'",
    "double quotes": '"',
    parentheses: "(",
    substitutions: "$(",
    "quoted substitutions": '"$(',
    backquotes: "`",
    arithmetic: "$((",
    braces: "{a,",
    "parameter expansions": "${",
    heredocs: "<<a ",
    backslashes: "\\",
    patterns: "@(",
    lines: "rm x\n",
    pipes: "a|",
    ifs: "if ",
    cases: "case a in ",
    evals: "eval ",
    "shells in shells": "sh -c ",
    "names of files": "touch a;",
  };

  test.each(Object.entries(pieces))("SC-014 1 MB of %s is turned away at once", async (_name, piece) => {
    const verdict = await assess(piece.repeat(1_000_000 / piece.length));
    expect(verdict).toEqual({
      tier: "confirm_required",
      reasons: ["cannot be understood: it is longer than 65536 characters or has more than 500 heredocs"],
    });
  });

  test.each(Object.entries(pieces))("SC-014 as much of %s as is read takes linear time", async (_name, piece) => {
    await assertLinear(60_000, (length) => {
      const command = piece.repeat(length / piece.length);
      return async () => expect(["execute", "confirm_required"]).toContain((await assess(command)).tier);
    });
  });

  const multiplied = {
    "braces times braces": `touch ${"{a,b}".repeat(40)}`,
    "variables that double": `A=aaaaaaaaaa; ${"A=$A$A; ".repeat(200)} touch $A`,
    "one long variable many times": `A='${"rm x;".repeat(2000)}'; ${"eval $A; ".repeat(5000)}`,
    "a shell in a shell in a shell": Array.from({ length: 14 }).reduce<string>((inner) => `sh -c ${JSON.stringify(inner)}`, "ls"),
    "an alias of itself": `alias a='a a'; ${"a;".repeat(1000)}`,
    "aliases of each other": "alias a='b b'; alias b='a a'; a",
    "marks in every argument": `find ${"x ".repeat(5000)} -exec echo ${"{}".repeat(5000)} \\;`,
    "many places": Array.from({ length: 3000 }, (_, index) => `touch f${index}`).join("\n"),
    "many values": `for x in ${Array.from({ length: 5000 }, (_, index) => index).join(" ")}; do touch $x $x $x; done`,
  };

  test.each(Object.entries(multiplied))("SC-014 %s is given up on in time", async (_name, command) => {
    const before = cpuMs();
    const verdict = await assess(command);
    expect(verdict.tier).toMatch(/execute|confirm_required/);
    // What they multiply to would take minutes.
    expect(cpuMs() - before).toBeLessThan(3000);
  });

  test("nesting that is too deep is risky, whatever is inside", async () => {
    const nested = `${"$(echo ".repeat(30)}ls${")".repeat(30)}`;
    expect(await assess(`echo ${nested}`)).toEqual({
      tier: "confirm_required",
      reasons: ["cannot be understood: it is nested too deeply"],
    });
  });

  test("SC-011 names of prototypes are names", async () => {
    const line = "__proto__ x; constructor; toString; git __proto__; git constructor; __proto__=1; echo $__proto__ > $constructor";
    expect(await assess(line)).toEqual({
      tier: "confirm_required",
      reasons: ["changes a path that is only known at run time: $constructor"],
    });
  });

  test("a NUL is not for a shell", async () => {
    expect(await assess("ls\0rm")).toMatchObject({ tier: "confirm_required" });
  });
});
