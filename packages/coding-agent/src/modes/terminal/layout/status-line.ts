import type { Model, ThinkingLevel } from "@pikit/ai";
import type { ContextUsage } from "../../../protocol/data.ts";
import { shortenPath } from "../first-screen.ts";
import { truncateToWidth, visibleWidth } from "../library.ts";
import { finishLines, toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** The facts of the status line. */
export interface Status {
  cwd: string;
  branch: string | undefined;
  sessionName: string | null;
  model: Model | undefined;
  level: ThinkingLevel;
  context: ContextUsage | undefined;
  /** US dollars. */
  cost: number;
  /** Texts of extensions: safe, without line breaks; they may have styles. */
  texts: readonly string[];
}

/** The share of the context window from which its use is a warning, in percent. */
const nearlyFull = 80;

/** Parts of the line; those with the highest number are left out first where the terminal is narrow. */
interface Part {
  text: string;
  rank: number;
}

/** The line about the session: where, which model, how much. At most `width` cells. */
export function renderStatusLine(status: Status, theme: Theme, width: number): string {
  const separator = " · ";
  let parts = partsOf(status, theme);
  const widthOf = (all: readonly Part[]) =>
    all.reduce((sum, { text }) => sum + visibleWidth(text), 0) + separator.length * Math.max(0, all.length - 1);
  while (parts.length > 1 && widthOf(parts) > width) {
    const last = Math.max(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank !== last);
  }
  const [line = ""] = finishLines([truncateToWidth(theme.dim(parts.map(({ text }) => text).join(separator)), width)], theme);
  return line;
}

function partsOf({ cwd, branch, sessionName, model, level, context, cost, texts }: Status, theme: Theme): Part[] {
  const place = `${shortenPath(cwd)}${branch === undefined ? "" : ` (${branch})`}`;
  const parts: Part[] = [{ text: toSafeLine(place), rank: 2 }];
  if (sessionName !== null) parts.push({ text: toSafeLine(sessionName), rank: 5 });
  parts.push({ text: model ? toSafeLine(describeModel(model, level)) : "no model: /login or /model", rank: 0 });
  if (context && context.percent !== null) {
    const text = `${Math.round(context.percent)}% of ${shorten(context.contextWindow)}`;
    parts.push({ text: context.percent >= nearlyFull ? theme.warning(text) : text, rank: 1 });
  }
  if (cost > 0) parts.push({ text: `$${cost.toFixed(cost < 1 ? 3 : 2)}`, rank: 3 });
  for (const text of texts) parts.push({ text, rank: 4 });
  return parts;
}

function describeModel({ id, reasoning }: Model, level: ThinkingLevel): string {
  return reasoning ? `${id}:${level}` : id;
}

/** A count in few characters: 950, 12k, 1.2M. */
export function shorten(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
