/** Formats of numbers and times for readers. */

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** The time in UTC, such as `2 January 2026, 13:04:05 UTC`: a page is read in other time zones than the one where it was written. */
export function formatTime(date: Date): string {
  const iso = date.toISOString();
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${iso.slice(-13, -5)} UTC`;
}

/** A time as ISO 8601; undefined if it is none. @param time - Milliseconds since 1970, or text that `Date` reads. */
export function toIsoTime(time: unknown): string | undefined {
  if (typeof time !== "number" && typeof time !== "string") return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** US dollars: cents for amounts over ten cents, otherwise four digits. */
export function formatCost(usd: number): string {
  return `$${usd.toFixed(usd >= 0.1 ? 2 : 4)}`;
}

/** A number with groups of three digits: `12,345`. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A count with its noun: `1 line`, `2 lines`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The number of lines of a text; a line end at its end begins no further line. */
export function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
