import { finishedBlock } from "../block.ts";
import { toSafeLines, wrapPlain } from "../lines.ts";
import type { Stage } from "../stage.ts";

/** Maximum characters of a text that is printed into the conversation. */
const maxText = 50_000;

/** Prints the answer of a command below the conversation, with its first line as a heading. */
export function showText(stage: Pick<Stage, "add" | "theme">, text: string): void {
  const left = text.length - maxText;
  const [heading = "", ...lines] = toSafeLines(left > 0 ? `${text.slice(0, maxText)}\n… ${left} more characters …` : text);
  stage.add(
    finishedBlock((width) => [
      "",
      ...wrapPlain(heading, width).map(stage.theme.bold),
      ...lines.flatMap((line) => wrapPlain(line, width)),
    ]),
  );
}
