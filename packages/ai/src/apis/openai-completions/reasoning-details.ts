import { isTooDeep } from "../../nesting.ts";

/** An item of OpenRouter's `reasoning_details`: readable text, a summary, or encrypted data. Other fields are kept unchanged. */
export interface ReasoningDetail {
  type?: string;
  text?: string | null;
  summary?: string | null;
  [field: string]: unknown;
}

/** Collects the details of one thinking block. They become its signature and are sent back unchanged, because the provider checks them. */
export class ReasoningDetails {
  readonly #details: ReasoningDetail[] = [];

  /** Adds a detail. Text that continues the previous detail is joined to it. */
  add(detail: ReasoningDetail): void {
    const last = this.#details.at(-1);
    if (!last || !continues(last, detail)) {
      this.#details.push({ ...detail });
      return;
    }
    for (const [field, value] of Object.entries(detail)) {
      if (value === null || value === undefined) continue;
      const joined = field === "text" || field === "summary" ? `${last[field] ?? ""}${value}` : value;
      Object.defineProperty(last, field, { value: joined, writable: true, enumerable: true, configurable: true });
    }
  }

  /** Undefined when there are none. */
  get signature(): string | undefined {
    return this.#details.length > 0 ? JSON.stringify(this.#details) : undefined;
  }
}

/** The readable text of a detail. */
export function textOfDetail({ text, summary }: ReasoningDetail): string {
  return typeof text === "string" ? text : typeof summary === "string" ? summary : "";
}

/** The details in a chunk. Items that are not objects are left out; a list that is nested too deeply gives none. */
export function readDetails(value: unknown): ReasoningDetail[] {
  if (!Array.isArray(value) || isTooDeep(value)) return [];
  return value.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}

/** The details in the signature of a thinking block; empty when the signature is of another kind. */
export function parseDetails(signature: string | undefined): ReasoningDetail[] {
  if (!signature?.startsWith("[")) return [];
  try {
    return readDetails(JSON.parse(signature));
  } catch {
    return []; // a signature of another kind
  }
}

function continues(last: ReasoningDetail, next: ReasoningDetail): boolean {
  const isText = next.type === "reasoning.text" || next.type === "reasoning.summary";
  const isSameIndex = next.index === undefined || last.index === undefined || last.index === next.index;
  const isSameId = typeof next.id !== "string" || typeof last.id !== "string" || last.id === next.id;
  return isText && last.type === next.type && isSameIndex && isSameId;
}
