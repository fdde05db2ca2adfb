/** Replaces the folders of a user in text, in whatever way programs write them. */

/** A folder and the text that replaces it. */
export interface RedactedFolder {
  path: string;
  /** Such as `~`. */
  replacement: string;
}

/** Replaces the folders in a text. */
export type Redact = (text: string) => string;

/** A way to write a folder. */
interface Target {
  /** The names in lower case; `/` is any of the separators. */
  characters: readonly string[];
  separators: ReadonlySet<string>;
  replacement: string;
  /** Whether a separator stands before the first name. If not, no name may go on before it. */
  isRooted: boolean;
  /** Whether it is found only where it is a whole path: no name goes on before and behind it. */
  isWhole: boolean;
}

/** Maximum backslashes before an escaped character: JSON within JSON within JSON has 7. */
const maxBackslashes = 8;
const pathSeparators: ReadonlySet<string> = new Set(["/", "\\"]);
/** pikit names the folder of the sessions of a folder after it, with `-` between the names. */
const allSeparators: ReadonlySet<string> = new Set(["/", "\\", "-"]);
const namedEntities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
  ...{ sol: "/", bsol: "\\", lowbar: "_", period: "." },
};

/**
 * Creates a function that replaces folders in texts. A folder is found in each of these spellings, in upper and lower case, and with any mix of them:
 * - with `/`, `\` or `-` between its names, and without the separator before its first name, as `tar` prints it;
 * - with backslashes before characters, as in JSON (also JSON within JSON), shells and Markdown; with `\u` and four digits;
 * - percent-encoded, as in addresses; with entities, as in HTML.
 *
 * A path of two or more names is replaced wherever it occurs, also within longer paths and names; a path of one name, such as /app, only as a
 * whole. The root is never replaced. Longer paths come first. The time is linear in the length of a text.
 */
export function createRedact(folders: readonly RedactedFolder[]): Redact {
  const targets = new Map<string, Target>();
  for (const { path, replacement } of folders) {
    for (const spelled of [path, path.normalize("NFC"), path.normalize("NFD")]) {
      for (const target of toTargets(spelled, replacement)) {
        const key = `${target.isRooted}${target.characters.join("")}`;
        if (!targets.has(key)) targets.set(key, target);
      }
    }
  }
  const longestFirst = [...targets.values()].sort((a, b) => b.characters.length - a.characters.length);
  return (text) => (longestFirst.length === 0 ? text : redact(text, longestFirst));
}

/** Replaces folders in all strings of a JSON value, and in its keys. The data of images stays. */
export function redactDeep<T>(value: T, redactText: Redact): T {
  return mapStrings(value, redactText) as T;
}

function mapStrings(value: unknown, map: Redact): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (typeof value !== "object" || value === null) return value;
  const isImage = "type" in value && value.type === "image";
  const members = Object.entries(value).map(([key, member]) => [
    map(key),
    isImage && key === "data" ? member : mapStrings(member, map),
  ]);
  return Object.fromEntries(members);
}

/** The ways to write a path: with the separator before its first name, and without. The drive of Windows is left out. */
function toTargets(path: string, replacement: string): Target[] {
  const names = path.split(/[/\\]+/).filter((name) => name !== "" && !/^[a-z]:$/i.test(name));
  const characters = [...names.join("/")].map((character) => character.toLowerCase());
  if (names.length === 0) return [];
  if (names.length === 1) return [{ characters, separators: pathSeparators, replacement, isRooted: true, isWhole: true }];
  return [
    { characters, separators: allSeparators, replacement, isRooted: true, isWhole: false },
    { characters, separators: pathSeparators, replacement, isRooted: false, isWhole: false },
  ];
}

function redact(text: string, targets: readonly Target[]): string {
  const starts = new Set(targets.map(({ characters }) => characters[0]));
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; ) {
    const raw = text.charAt(at);
    const isRoot = raw === "/" || raw === "\\" || raw === "-" || raw === "%" || raw === "&";
    const found = isRoot || starts.has(raw.toLowerCase()) ? findAt(text, at, targets) : undefined;
    if (found !== undefined) {
      pieces.push(text.slice(kept, at), found.replacement);
      kept = found.end;
    }
    at = found?.end ?? at + 1;
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

interface Found {
  end: number;
  replacement: string;
}

/** The folder that begins at a position; undefined if none does. */
function findAt(text: string, at: number, targets: readonly Target[]): Found | undefined {
  const isInName = isPartOfName(text.charAt(at - 1));
  const root = readRoot(text, at);
  for (const { characters, separators, replacement, isRooted, isWhole } of targets) {
    if (isInName && (isWhole || !isRooted)) continue;
    if (isRooted && (root === undefined || !separators.has(root.character))) continue;
    const end = matchAt(text, isRooted && root ? root.end : at, characters, separators);
    if (end === undefined || (isWhole && isPartOfName(text.charAt(end)))) continue;
    return { end, replacement };
  }
  return undefined;
}

function isPartOfName(character: string): boolean {
  return /[\p{L}\p{N}_.~-]/u.test(character);
}

/** The separator at a position, before the first name of a path: one, or the backslashes that stand for one. */
function readRoot(text: string, at: number): Spelling | undefined {
  const found = spellingsAt(text, at).findLast(({ character }) => allSeparators.has(character));
  if (found?.character !== "\\") return found;
  let end = at;
  while (text.charAt(end) === "\\" && end - at < maxBackslashes) end += 1;
  return { character: "\\", end: Math.max(end, found.end) };
}

/** The end of the names that begin at a position; undefined if they are not there. */
function matchAt(text: string, start: number, characters: readonly string[], separators: ReadonlySet<string>): number | undefined {
  let at: number | undefined = start;
  for (const [index, wanted] of characters.entries()) {
    if (at === undefined) return undefined;
    at = wanted === "/" ? skipSeparators(text, at, separators, characters[index + 1] ?? "") : skipCharacter(text, at, wanted);
  }
  return at;
}

/**
 * The end of the separators at a position, before a character; undefined if they are not there. Several count as one, as in JSON, where a
 * backslash is two. The last backslash may belong to an escape of the character.
 */
function skipSeparators(text: string, start: number, separators: ReadonlySet<string>, next: string): number | undefined {
  let end: number | undefined;
  let at = start;
  for (let count = 0; count < maxBackslashes; count += 1) {
    const found = spellingsAt(text, at).findLast(({ character }) => separators.has(character));
    if (!found) break;
    at = found.end;
    if (skipCharacter(text, at, next) !== undefined) end = at;
  }
  return end;
}

function skipCharacter(text: string, at: number, wanted: string): number | undefined {
  return spellingsAt(text, at).find(({ character }) => character.toLowerCase() === wanted)?.end;
}

interface Spelling {
  character: string;
  end: number;
}

/** The characters that the text at a position may stand for: the one that is there, and the one that an escape there means. */
function spellingsAt(text: string, at: number): Spelling[] {
  const code = text.codePointAt(at);
  if (code === undefined) return [];
  const character = String.fromCodePoint(code);
  const plain = { character, end: at + character.length };
  const escaped = escapes[character]?.(text, at);
  return escaped ? [plain, escaped] : [plain];
}

/** The first character of an escape → the function that reads it. */
const escapes: Readonly<Record<string, (text: string, at: number) => Spelling | undefined>> = {
  "\\": readBackslash,
  "%": readPercent,
  "&": readEntity,
};

/** A character with backslashes before it. */
function readBackslash(text: string, start: number): Spelling | undefined {
  let at = start;
  while (text.charAt(at) === "\\" && at - start < maxBackslashes) at += 1;
  const unit = /^u([\da-f]{4})/i.exec(text.slice(at, at + 5))?.[1];
  if (unit !== undefined) {
    const high = Number.parseInt(unit, 16);
    const low = /^\\+u(d[c-f][\da-f]{2})/i.exec(text.slice(at + 5, at + 5 + maxBackslashes + 5));
    const isPair = high >= 0xd800 && high <= 0xdbff && low?.[1] !== undefined;
    if (!isPair) return { character: String.fromCharCode(high), end: at + 5 };
    return { character: String.fromCharCode(high, Number.parseInt(low[1] ?? "", 16)), end: at + 5 + low[0].length };
  }
  const code = text.codePointAt(at);
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(code);
  return { character, end: at + character.length };
}

/** A percent-encoded character. */
function readPercent(text: string, at: number): Spelling | undefined {
  const first = /^%([\da-f]{2})/i.exec(text.slice(at, at + 3))?.[1];
  if (first === undefined) return undefined;
  const byte = Number.parseInt(first, 16);
  const count = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  const end = at + 3 * count;
  try {
    return { character: decodeURIComponent(text.slice(at, end)), end };
  } catch {
    // The bytes are no UTF-8.
    return undefined;
  }
}

/** An entity of HTML. */
function readEntity(text: string, at: number): Spelling | undefined {
  const [whole, decimal, hex, name] = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/i.exec(text.slice(at, at + 12)) ?? [];
  if (whole === undefined) return undefined;
  const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
  if (code !== undefined) return code <= 0x10ffff ? { character: String.fromCodePoint(code), end: at + whole.length } : undefined;
  const character = namedEntities[name ?? ""];
  return character === undefined ? undefined : { character, end: at + whole.length };
}
