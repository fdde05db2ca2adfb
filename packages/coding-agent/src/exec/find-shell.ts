import { findProgram, isExecutable, type ProgramSearch } from "./find-program.ts";

/** The usual path of a POSIX shell. */
export const posixShell = "/bin/sh";

/**
 * Finds the absolute path of bash, otherwise of sh; never inside the project.
 *
 * @returns undefined if there is no shell.
 */
export async function findShell(search: ProgramSearch): Promise<string | undefined> {
  return (await findProgram("bash", search)) ?? ((await isExecutable(posixShell)) ? posixShell : undefined);
}
