/** A line of output, loosely: tests look at it with matchers. */
export interface WireRecord {
  type: string;
  id?: unknown;
  data?: { [field: string]: unknown };
  [field: string]: unknown;
}
