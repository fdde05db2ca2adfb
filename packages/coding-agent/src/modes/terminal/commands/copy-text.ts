import { findProgram } from "../../../exec/find-program.ts";
import { feedProgram } from "../input/run-program.ts";

export interface CopyOptions {
  /** The folder of the project, whose programs are never used. */
  cwd: string;
  /** Writes a sequence to the terminal. */
  writeSequence(sequence: string): void;
  environment?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** A program that puts its input into the clipboard. */
interface CopyProgram {
  name: string;
  args: readonly string[];
}

/** Maximum bytes for the terminal: many terminals ignore longer sequences, which base64 makes a third longer. */
const maxSequenceBytes = 74_000;
/** Milliseconds until a program that does not end is left alone. */
const limitMs = 3000;

/**
 * Puts a text into the clipboard: through the terminal (OSC 52, which also works over SSH), and with a program of this machine. Whether a
 * terminal accepts the sequence is not known.
 *
 * @returns The ways that were used: `the terminal`, and the name of a program that has succeeded.
 */
export async function copyText(
  text: string,
  { cwd, writeSequence, environment = process.env, platform = process.platform }: CopyOptions,
): Promise<string[]> {
  const ways: string[] = [];
  if (Buffer.byteLength(text) <= maxSequenceBytes) {
    writeSequence(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    ways.push("the terminal");
  }
  for (const { name, args } of programsFor(environment, platform)) {
    const path = await findProgram(name, { cwd, searchPath: environment.PATH });
    if (path !== undefined && (await feedProgram(path, args, { text, env: environment, timeoutMs: limitMs })))
      return [...ways, name];
  }
  return ways;
}

function programsFor(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): CopyProgram[] {
  if (platform === "darwin") return [{ name: "pbcopy", args: [] }];
  if (platform === "win32") return [{ name: "clip.exe", args: [] }];
  return [
    ...(environment.WAYLAND_DISPLAY ? [{ name: "wl-copy", args: [] }] : []),
    ...(environment.DISPLAY ? [{ name: "xclip", args: ["-selection", "clipboard"] }] : []),
    // The clipboard of Windows, from its Linux.
    ...(environment.WSL_DISTRO_NAME ? [{ name: "clip.exe", args: [] }] : []),
  ];
}
