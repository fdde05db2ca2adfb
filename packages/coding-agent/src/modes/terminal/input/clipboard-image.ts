import { fileLimits } from "@pikit/ai/files";
import { findProgram } from "../../../exec/find-program.ts";
import { type ProgramOutput, runProgram } from "./run-program.ts";

/** The computer whose clipboard is read. */
export interface ClipboardOptions {
  /** The working folder, whose programs are not used. */
  cwd: string;
  /** Default: that of the process. */
  env?: NodeJS.ProcessEnv;
  /** Default: that of the process. */
  platform?: NodeJS.Platform;
  /** Time limit of each program in milliseconds. Default: 5,000. */
  timeoutMs?: number;
}

/** The image, or a sentence about why there is none. */
export type ClipboardImage = { bytes: Buffer } | { problem: string };

/** A program that reads the clipboard. */
interface ClipboardProgram {
  name: string;
  /** Where it can be used. */
  isFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean;
  /** @returns The image; undefined if the clipboard has none. */
  read(run: (...args: string[]) => Promise<ProgramOutput>): Promise<ClipboardImage | undefined>;
}

/** Image types that models accept, the best first. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Prints the image as base64, and nothing if there is none. */
const powershellScript = [
  "Add-Type -AssemblyName System.Windows.Forms, System.Drawing",
  "$image = [System.Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $stream = New-Object System.IO.MemoryStream",
  "$image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($stream.ToArray()) }",
].join("; ");

/** In the order in which they are tried. */
const programs: readonly ClipboardProgram[] = [
  {
    name: "wl-paste",
    isFor: (platform, env) => isUnix(platform) && Boolean(env.WAYLAND_DISPLAY),
    read: (run) =>
      readListed(
        () => run("--list-types"),
        (type) => run("--no-newline", "--type", type),
      ),
  },
  {
    name: "xclip",
    isFor: (platform, env) => isUnix(platform) && Boolean(env.DISPLAY),
    read: (run) =>
      readListed(
        () => run("-selection", "clipboard", "-target", "TARGETS", "-out"),
        (type) => run("-selection", "clipboard", "-target", type, "-out"),
      ),
  },
  {
    name: "pngpaste",
    isFor: (platform) => platform === "darwin",
    // It fails if the clipboard has no image.
    read: async (run) => toImage(await run("-"), (output) => output),
  },
  {
    name: "osascript",
    isFor: (platform) => platform === "darwin",
    // It fails if the clipboard has no image. It prints «data PNGf…» with hexadecimal digits.
    read: async (run) => toImage(await run("-e", "get the clipboard as «class PNGf»"), readAppleData),
  },
  {
    name: "powershell.exe",
    isFor: (platform, env) => platform === "win32" || Boolean(env.WSL_DISTRO_NAME),
    async read(run) {
      const result = await run("-NoProfile", "-NonInteractive", "-STA", "-Command", powershellScript);
      return "problem" in result ? result : toImage(result, (output) => Buffer.from(output.toString("latin1"), "base64"));
    },
  },
];

/** Reads the image of the clipboard with the programs of the system. Never rejects. */
export async function readClipboardImage(options: ClipboardOptions): Promise<ClipboardImage> {
  const { cwd, env = process.env, platform = process.platform, timeoutMs = 5000 } = options;
  let problem: string | undefined;
  let hasReader = false;
  for (const program of programs.filter(({ isFor }) => isFor(platform, env))) {
    const path = await findProgram(program.name, { cwd, searchPath: env.PATH });
    if (path === undefined) continue;
    hasReader = true;
    const limits = { env, cwd, timeoutMs, maxBytes: fileLimits.image };
    const found = await program.read((...args) => runProgram(path, args, limits));
    if (found && "bytes" in found) return found;
    if (found) problem ??= `The clipboard cannot be read: ${program.name}: ${found.problem}.`;
  }
  if (hasReader) return { problem: problem ?? "The clipboard has no image." };
  return {
    problem: `The clipboard cannot be read here. ${advice(platform, env)} Or drop the file of the image into the terminal.`,
  };
}

function advice(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === "darwin" || platform === "win32") return "The programs of the system for it are missing.";
  if (env.WAYLAND_DISPLAY) return "Install wl-clipboard.";
  return env.DISPLAY ? "Install xclip." : "There is no display (WAYLAND_DISPLAY, DISPLAY).";
}

/** Asks for the types of the clipboard, and then for the image. */
async function readListed(
  list: () => Promise<ProgramOutput>,
  read: (type: string) => Promise<ProgramOutput>,
): Promise<ClipboardImage | undefined> {
  const listed = await list();
  // Both programs fail if the clipboard is empty.
  if ("problem" in listed) return listed.problem.startsWith("it ended with exit code") ? undefined : listed;
  const offered = listed.output.toString("utf8").split(/\s+/);
  const type = imageTypes.find((each) => offered.includes(each));
  if (type === undefined) return undefined;
  const image = await read(type);
  return "problem" in image ? image : toImage(image, (output) => output);
}

function toImage(result: ProgramOutput, decode: (output: Buffer) => Buffer): { bytes: Buffer } | undefined {
  const bytes = "output" in result ? decode(result.output) : Buffer.alloc(0);
  return bytes.length > 0 ? { bytes } : undefined;
}

function readAppleData(output: Buffer): Buffer {
  const digits = /PNGf([0-9A-F]+)/.exec(output.toString("latin1"))?.[1] ?? "";
  return Buffer.from(digits, "hex");
}

function isUnix(platform: NodeJS.Platform): boolean {
  return platform !== "win32" && platform !== "darwin";
}
