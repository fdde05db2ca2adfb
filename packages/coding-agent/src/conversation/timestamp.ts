/**
 * A time in UTC as ISO 8601, with milliseconds: `2026-11-23T09:05:00.000Z`. It is what `toISOString` gives, whose first use reads the time zones of
 * the system, a hundredth of a start.
 *
 * @param time - A year from 1000 to 9999. Default: now.
 */
export function timestampOf(time: Date = new Date()): string {
  const date = `${time.getUTCFullYear()}-${digits(time.getUTCMonth() + 1)}-${digits(time.getUTCDate())}`;
  const clock = `${digits(time.getUTCHours())}:${digits(time.getUTCMinutes())}:${digits(time.getUTCSeconds())}`;
  return `${date}T${clock}.${digits(time.getUTCMilliseconds(), 3)}Z`;
}

function digits(value: number, count = 2): string {
  return String(value).padStart(count, "0");
}
