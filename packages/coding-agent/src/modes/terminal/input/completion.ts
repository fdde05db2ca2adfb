import { toTerminalText } from "../../terminal-text.ts";
import { type AutocompleteItem, type AutocompleteProvider, type AutocompleteSuggestions, fuzzyFilter } from "../library.ts";
import { type CompletionPlace, completionPlaces, type Quote } from "./completion-place.ts";
import type { FileIndex } from "./file-index.ts";

/** A command that can be typed as `/name`. */
export interface CompletedCommand {
  /** Without `/`. */
  name: string;
  description?: string | undefined;
  /**
   * Offers arguments.
   *
   * @param typed - All that is typed after the name. The values of the items replace it.
   */
  completeArguments?(typed: string, signal: AbortSignal): Promise<readonly AutocompleteItem[]> | readonly AutocompleteItem[];
}

export interface CompletionOptions {
  /** The folder of relative paths. */
  cwd(): string;
  /** The commands in the order of the list. Of several with the same name, the first counts. */
  commands(): Promise<readonly CompletedCommand[]>;
  /** Default: a new one. */
  index?: FileIndex;
}

/** Maximum number of rows of the list. */
const maxItems = 50;
/** Milliseconds for which the list of commands is kept. */
const commandsFreshMs = 3000;
/** Paths that do not begin in the working folder, or say so. */
const outsidePattern = /^(?:~?\/|\.{1,2}(?:\/|$)|~$|[a-z]:[\\/])/i;

/** Completes commands, their arguments, files after `@`, and with Tab any paths. */
export class Completion implements AutocompleteProvider {
  readonly triggerCharacters = ["@"];
  readonly #options: CompletionOptions;
  #index: FileIndex | undefined;
  #commands: { list: Promise<readonly CompletedCommand[]>; askedAt: number } | undefined;

  constructor(options: CompletionOptions) {
    this.#options = options;
    this.#index = options.index;
  }

  /** Returns null if nothing can be completed. Never rejects. */
  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { signal, force = false }: { signal: AbortSignal; force?: boolean },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
    const isShell = (lines[0] ?? "").trimStart().startsWith("!");
    // In other places the list would be in the way of the text.
    const isWanted = ({ kind }: CompletionPlace) => force || kind !== "path";
    try {
      for (const place of completionPlaces(before, cursorLine === 0, isShell).filter(isWanted)) {
        const items = await this.#complete(place, signal);
        if (signal.aborted) return null;
        if (items.length > 0) return { items: items.slice(0, maxItems).map(safeItem), prefix: place.prefix };
      }
    } catch {
      // Aborted by the next key; or the folder or the list of commands cannot be read, and then there is nothing to offer.
    }
    return null;
  }

  /** Puts the value of an item in the place of the prefix. A space or a quote that is already behind the cursor is not doubled. */
  applyCompletion(lines: string[], cursorLine: number, cursorCol: number, item: AutocompleteItem, prefix: string) {
    const line = lines[cursorLine] ?? "";
    const before = line.slice(0, cursorCol - prefix.length) + item.value;
    const after = line.slice(cursorCol);
    const [, doubled = ""] = /(["']? ?)$/.exec(item.value) ?? [];
    const rest = doubled !== "" && after.startsWith(doubled) ? after.slice(doubled.length) : withoutQuote(after, doubled);
    return { lines: lines.with(cursorLine, before + rest), cursorLine, cursorCol: before.length };
  }

  async #complete(place: CompletionPlace, signal: AbortSignal): Promise<readonly AutocompleteItem[]> {
    const { kind } = place;
    if (kind === "command") return this.#completeCommand(place.name);
    if (kind === "argument") return this.#completeArgument(place, signal);
    if (kind === "mention") return (await this.#findFiles(place.path, signal)).flatMap(mentionItem);
    if (place.path === "" && place.style === "text") return [];
    const paths = await findPaths(place.path, this.#options.cwd());
    return paths.flatMap((path) => pathItem(path, place.style, place.quote));
  }

  async #completeCommand(name: string): Promise<AutocompleteItem[]> {
    const commands = await this.#listCommands();
    const beginning = commands.filter((command) => command.name.startsWith(name));
    const others = commands.filter((command) => !command.name.startsWith(name));
    const found = [...beginning, ...(name === "" ? [] : fuzzyFilter(others, name, (command) => command.name))];
    return found.map((command) => ({
      value: `/${command.name} `,
      label: `/${command.name}`,
      ...(command.description === undefined ? {} : { description: command.description }),
    }));
  }

  async #completeArgument({ command, prefix }: { command: string; prefix: string }, signal: AbortSignal) {
    const known = (await this.#listCommands()).find(({ name }) => name === command);
    return (await known?.completeArguments?.(prefix, signal)) ?? [];
  }

  async #listCommands(): Promise<readonly CompletedCommand[]> {
    if (this.#commands === undefined || performance.now() - this.#commands.askedAt > commandsFreshMs) {
      const list = this.#options.commands().then(withoutRepeats);
      this.#commands = { list, askedAt: performance.now() };
    }
    return this.#commands.list;
  }

  /** The files that match; else, for files that the ignore rules exclude, the paths that begin with the typed one. */
  async #findFiles(typed: string, signal: AbortSignal): Promise<string[]> {
    const cwd = this.#options.cwd();
    if (outsidePattern.test(typed)) return findPaths(typed, cwd);
    const { FileIndex } = await import("./file-index.ts");
    const { rankFiles } = await import("./rank-files.ts");
    this.#index ??= new FileIndex();
    const files = await this.#index.files(cwd, signal);
    const found = await rankFiles(files, typed, { limit: maxItems, signal });
    return found.length > 0 || typed === "" ? found.map(({ path }) => path) : findPaths(typed, cwd);
  }
}

async function findPaths(typed: string, cwd: string): Promise<string[]> {
  return (await import("./list-paths.ts")).listPaths(typed, cwd);
}

function withoutQuote(after: string, doubled: string): string {
  const quote = doubled.trim();
  return quote !== "" && after.startsWith(quote) ? after.slice(quote.length) : after;
}

function withoutRepeats(commands: readonly CompletedCommand[]): CompletedCommand[] {
  const byName = new Map<string, CompletedCommand>();
  for (const command of commands) if (!byName.has(command.name)) byName.set(command.name, command);
  return [...byName.values()];
}

/** A name in a mention has no quotes and no control characters, because a mention cannot express them. */
function mentionItem(path: string): AutocompleteItem[] {
  if (/["\p{Cc}]/u.test(path)) return [];
  const isFolder = path.endsWith("/");
  const end = isFolder ? "" : " ";
  if (!/\s/.test(path)) return [{ value: `@${path}${end}`, label: path }];
  return [{ value: isFolder ? `@"${path}` : `@"${path}"${end}`, label: path }];
}

function pathItem(path: string, style: "shell" | "text", quote: Quote): AutocompleteItem[] {
  if (/\p{Cc}/u.test(path)) return [];
  const end = path.endsWith("/") ? "" : " ";
  if (style === "shell" && quote === "")
    return [{ value: path.replace(/[^\w./~@%+=:,\u0080-\u{10ffff}-]/gu, "\\$&") + end, label: path }];
  const needed = quote === "" && /\s/.test(path) ? '"' : quote;
  if (needed === "") return [{ value: path + end, label: path }];
  // A shell would need other escapes in quotes, and a text has none.
  if (path.includes(needed) || (style === "shell" && needed === '"' && /[$`\\!]/.test(path))) return [];
  return [{ value: needed + path + (end === "" ? "" : needed + end), label: path }];
}

function safeItem({ value, label, description }: AutocompleteItem): AutocompleteItem {
  const oneLine = (text: string) => toTerminalText(text).replace(/\s+/g, " ").trim();
  return { value, label: oneLine(label), ...(description === undefined ? {} : { description: oneLine(description) }) };
}
