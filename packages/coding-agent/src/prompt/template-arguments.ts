/** An argument: in quotes that end where it does, or without blanks. So an apostrophe is no quote. */
const argumentPattern = /"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;
const placeholderPattern = /\\\$|\$(?:([1-9]\d?)(?!\d)|@|ARGUMENTS\b)/g;

/** The arguments of a command as the user typed them; quotes hold several words together. */
export function splitArguments(text: string): string[] {
  return Array.from(text.matchAll(argumentPattern), ([, double, single, plain]) => double ?? single ?? plain ?? "");
}

/**
 * Puts arguments where a template has `$1` to `$99`, and all of them, as typed, where it has `$@` or `$ARGUMENTS`. One that is missing
 * is empty, `\$` is a dollar sign, and arguments are not looked through for placeholders. A template without any has its arguments behind it.
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
