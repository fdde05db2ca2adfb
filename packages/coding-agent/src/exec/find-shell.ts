import { findProgram, isExecutable, type ProgramSearch } from "./find-program.ts";

/** POSIX asks for this one. */
export const posixShell = "/bin/sh";

/**
 * The absolute path of bash, or of sh where there is none; a project cannot supply it.
 *
 * @returns undefined when there is no shell at all.
 */
export async function findShell(search: ProgramSearch): Promise<string | undefined> {
  return (await findProgram("bash", search)) ?? ((await isExecutable(posixShell)) ? posixShell : undefined);
}
