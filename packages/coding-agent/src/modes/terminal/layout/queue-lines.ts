import type { QueuedTexts } from "../../../protocol/data.ts";
import { truncateToWidth } from "../library.ts";
import { toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** The number of queued texts that are shown. */
const maxShown = 4;

/** The queued messages, a line for each. */
export function renderQueue({ steering, followUp }: QueuedTexts, theme: Theme, width: number, editKey: string): string[] {
  const all = [...steering.map((text) => ({ text, when: "next" })), ...followUp.map((text) => ({ text, when: "afterwards" }))];
  const lines = all.slice(0, maxShown).map(({ text, when }) => `  ${when}: ${toSafeLine(text).slice(0, width)}`);
  if (all.length > maxShown) lines.push(`  … ${all.length - maxShown} more`);
  if (all.length > 0 && editKey !== "") lines.push(`  ${editKey} edits what is queued`);
  return lines.map((line) => theme.dim(truncateToWidth(line, width)));
}
