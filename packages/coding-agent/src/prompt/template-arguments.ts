/** An argument: a quoted text followed by white space, or a text without white space. So an apostrophe inside a word is not a quote. */
const argumentPattern = /"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;
/** In braces: an argument or all of them, with a default, or all from a number on, with an optional count. */
const placeholderPattern =
  /\\\$|\$(?:(?<plain>[1-9]\d?)(?!\d)|@|ARGUMENTS\b|\{(?:(?<index>[1-9]\d?)|@|ARGUMENTS)(?::-(?<usual>[^}]*)|:(?<from>\d{1,3})(?::(?<count>\d{1,3}))?)?\})/g;

/**
 * Splits the typed arguments of a command; quotes group several words.
 *
 * @internal Exported for its tests.
 */
export function splitArguments(text: string): string[] {
  return Array.from(text.matchAll(argumentPattern), ([, double, single, plain]) => double ?? single ?? plain ?? "");
}

/**
 * Replaces `$1` to `$99` in a template with the arguments, and `$@` or `$ARGUMENTS` with all of them, separated by spaces. `${1:-text}` and
 * `${@:-text}` have a default; `${@:2}` is all arguments from the second on, `${@:2:3}` three of them. Other missing arguments are empty, `\$` is a
 * dollar sign, and placeholders inside arguments are not replaced. If a template has no placeholder, the arguments are appended as typed.
 */
export function fillTemplate(template: string, args: string): string {
  const typed = args.trim();
  const list = splitArguments(typed);
  let hasPlaceholder = false;
  const filled = template.replace(placeholderPattern, (placeholder, ...rest: unknown[]) => {
    if (placeholder === "\\$") return "$";
    hasPlaceholder = true;
    return valueFor(rest.at(-1) as Placeholder, list);
  });
  return hasPlaceholder || typed === "" ? filled : `${filled.trimEnd()}\n\n${typed}`;
}

/** The named groups of a placeholder. */
type Placeholder = Partial<Record<"plain" | "index" | "usual" | "from" | "count", string>>;

function valueFor({ plain, index = plain, usual = "", from, count }: Placeholder, list: readonly string[]): string {
  const start = Math.max(Number(from ?? 1) - 1, 0);
  const all = list.slice(start, count === undefined ? undefined : start + Number(count));
  const value = index === undefined ? all.join(" ") : (list[Number(index) - 1] ?? "");
  return value === "" ? usual : value;
}
