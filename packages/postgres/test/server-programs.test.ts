import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { giveToServer, hasServerPrograms, isRoot, programsFor, serverUser } from "./helpers/server-programs.ts";

test.skipIf(!isRoot || !hasServerPrograms)("root can start a server from a folder that other users may not enter", () => {
  const root = mkdtempSync(join(tmpdir(), "pikit-pg-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const [hidden, folder] = [join(root, "hidden"), join(root, "server")];
  for (const each of [hidden, folder]) mkdirSync(each, { mode: 0o700 });
  giveToServer(folder);
  const installed = programsFor(folder);
  const source = join(hidden, "native");
  cpSync(dirname(installed), source, { recursive: true, verbatimSymlinks: true });
  const run = (programs: string) =>
    spawnSync(join(programs, "initdb"), ["--version"], { ...serverUser, cwd: folder, encoding: "utf8" });
  expect(run(join(source, "bin")).error).toMatchObject({ code: "EACCES" });

  const programs = programsFor(folder, source);
  expect(programs).toBe(join(folder, "programs/bin"));
  expect(run(programs).stdout).toMatch(/^initdb \(PostgreSQL\) \d/);
});
