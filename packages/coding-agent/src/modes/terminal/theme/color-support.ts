import { trueColors } from "../../../theme/colors.ts";

/** Values of `TERM_PROGRAM` and the number of colours of these terminals. */
const programs: ReadonlyMap<string, number> = new Map([
  ["Apple_Terminal", 256],
  ["ghostty", trueColors],
  ["Hyper", trueColors],
  ["iTerm.app", trueColors],
  ["mintty", trueColors],
  ["rio", trueColors],
  ["Tabby", trueColors],
  ["vscode", trueColors],
  ["WarpTerminal", trueColors],
  ["WezTerm", trueColors],
  ["zed", trueColors],
]);

/** Names in `TERM` of terminals with true colour, whose terminfo entries end with their own name. */
const trueColorTerms = /^(?:xterm-(?:kitty|ghostty)|alacritty|foot|contour|wezterm|rio)\b|-direct$/;

/**
 * The number of colours of the terminal: 0, 16, 256 or 16,777,216.
 *
 * `NO_COLOR` with any text means no colours (no-color.org). Otherwise `FORCE_COLOR` with any text means colours (force-color.org), also if
 * the output is not a terminal: `0` and `false` none, `1` and `true` at least 16, `2` 256, `3` all of them.
 *
 * @param platform - Default: this one. A console of Windows shows true colour since Windows 10, version 1703.
 */
export function colorsOf(env: NodeJS.ProcessEnv, isTTY: boolean, platform: NodeJS.Platform = process.platform): number {
  if (env.NO_COLOR) return 0;
  const forced = env.FORCE_COLOR;
  if (forced) return forcedColors(forced, env, platform);
  return isTTY ? terminalColors(env, platform) : 0;
}

function forcedColors(forced: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): number {
  switch (forced) {
    case "0":
    case "false":
      return 0;
    case "2":
      return 256;
    case "3":
      return trueColors;
    case "1":
      return 16;
    default:
      return Math.max(16, terminalColors(env, platform));
  }
}

function terminalColors(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): number {
  const { TERM: term = "", COLORTERM: colorTerm = "", TERM_PROGRAM: program = "" } = env;
  if (term === "dumb") return 0;
  // Both multiplexers convert colours for the terminal outside: tmux does it for true colour too, screen does not know it.
  const isScreen = /^screen/.test(term) && env.TMUX === undefined;
  if (/^(?:truecolor|24bit)$/i.test(colorTerm)) return isScreen ? 256 : trueColors;
  if (env.TMUX !== undefined || /^(?:screen|tmux)/.test(term)) return 256;
  const known = programs.get(program);
  if (known !== undefined) return known;
  if (env.WT_SESSION !== undefined || trueColorTerms.test(term)) return trueColors;
  if (/256/.test(term)) return 256;
  if (platform === "win32" && term === "") return trueColors;
  return 16;
}
