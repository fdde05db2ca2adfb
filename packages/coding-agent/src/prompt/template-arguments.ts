/** An argument: a quoted text followed by white space, or a text without white space. So an apostrophe inside a word is not a quote. */
const argumentPattern = /"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;
const placeholderPattern = /\\\$|\$(?:([1-9]\d?)(?!\d)|@|ARGUMENTS\b)/g;

/**
 * Splits the typed arguments of a command; quotes group several words.
 *
 * @internal Exported for its tests.
 */
export function splitArguments(text: string): string[] {
  return Array.from(text.matchAll(argumentPattern), ([, double, single, plain]) => double ?? single ?? plain ?? "");
}

/**
 * Replaces `$1` to `$99` in a template with the arguments, and `$@` or `$ARGUMENTS` with all of them as typed. A missing argument is empty,
 * `\$` is a dollar sign, and placeholders inside arguments are not replaced. If a template has no placeholder, the arguments are appended.
 */
export function fillTemplate(template: string, args: string): string {
  const typed = args.trim();
  const list = splitArguments(typed);
  let hasPlaceholder = false;
  const filled = template.replace(placeholderPattern, (placeholder, index?: string) => {
    if (placeholder === "\\$") return "$";
    hasPlaceholder = true;
    return index === undefined ? typed : (list[Number(index) - 1] ?? "");
  });
  return hasPlaceholder || typed === "" ? filled : `${filled.trimEnd()}\n\n${typed}`;
}
