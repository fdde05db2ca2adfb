import { spawnSync } from "node:child_process";

/** Saves the position of the cursor, for a program that changes to the alternate screen without doing so. */
const saveCursor = "\x1b7";
/**
 * Undoes what full-screen programs switch on, see https://invisible-island.net/xterm/ctlseqs/ctlseqs.html: the alternate screen, reports of the
 * mouse and of the focus, bracketed paste, application keys, styles, a hidden cursor.
 */
const undoModes = [
  ...["\x1b[?1049l", "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l", "\x1b[?1004l", "\x1b[?2004l"],
  ...["\x1b[?1l\x1b>", "\x1b[?7h", "\x1b[0m", "\x1b[?25h", "\r\x1b[J"],
].join("");

/**
 * Remembers the modes of the terminal before another program gets it.
 *
 * @returns A function that restores them, for a program that was killed before it could do so.
 */
export function rememberModes(platform: NodeJS.Platform): () => void {
  if (platform === "win32" || !process.stdin.isTTY || !process.stdout.isTTY) return () => {};
  process.stdout.write(saveCursor);
  // Node would take the modes that it finds for those of the terminal, and would restore them at the end.
  const { status, stdout } = stty("-g");
  return () => {
    if (status === 0) stty(stdout.trim());
    process.stdout.write(undoModes);
  };
}

/** Reads or sets the modes of the terminal on stdin. */
function stty(argument: string) {
  return spawnSync("stty", [argument], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
}
