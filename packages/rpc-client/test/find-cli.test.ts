import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type FindCliOptions, findCli } from "../src/find-cli.ts";

const runtime = "/opt/runtime";

function file(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/usr/bin/env node\n");
  chmodSync(path, 0o755);
  return path;
}

function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "find-cli-")));
}

test("RC-012 a script runs with the given runtime, also behind a link without an ending; a program runs as it is", () => {
  const script = file(join(folder(), "cli.js"));
  const link = join(dirname(script), "pi");
  symlinkSync(script, link);
  const program = file(join(folder(), "pi"));
  expect(findCli({ cliPath: script, runtime, env: {} })).toEqual({ file: runtime, args: [script] });
  expect(findCli({ cliPath: link, runtime, env: {} })).toEqual({ file: runtime, args: [link] });
  expect(findCli({ cliPath: program, runtime, env: {} })).toEqual({ file: program, args: [] });
});

test("a path that does not exist is an error that names it, and nothing else is tried", () => {
  expect(() => findCli({ cliPath: "/nowhere/pi", runtime, env: process.env })).toThrow("/nowhere/pi");
});

test("without a path, the installed package comes before the PATH", () => {
  const cli = findCli({ runtime, env: { PATH: dirname(file(join(folder(), "pi"))) }, searchFrom: [import.meta.url] });
  expect(cli).toEqual({ file: runtime, args: [expect.stringMatching(/coding-agent\/dist\/cli\.js$/)] });
});

test("without an installed package, the first executable pi on the PATH is taken", () => {
  const [empty, plainFile, isFolder, right] = [folder(), folder(), folder(), folder()];
  writeFileSync(join(plainFile, "pi"), "not executable");
  mkdirSync(join(isFolder, "pi"));
  const program = file(join(right, "pi"));
  const search = (path: string) => findElsewhere({ runtime, env: { PATH: path }, searchFrom: [join(empty, "x.js")] });
  expect(search(["", empty, plainFile, isFolder, right].join(":"))).toEqual({ file: program, args: [] });
  expect(search("")).toMatchObject({ code: "not_found" });
});

/** In a process without NODE_PATH, under which every folder would seem to have this workspace's packages installed. */
function findElsewhere(options: FindCliOptions): unknown {
  const { NODE_PATH: _, ...env } = process.env;
  const program = `
    import { findCli } from ${JSON.stringify(new URL("../src/find-cli.ts", import.meta.url).href)};
    const tell = (value) => console.log(JSON.stringify(value));
    try { tell(findCli(${JSON.stringify(options)})); } catch (error) { tell({ code: error.code }); }`;
  const args = ["--conditions=pikit-source", "--no-warnings", "--input-type=module", "-e", program];
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: "utf8" }));
}
