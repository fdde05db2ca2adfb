import type { ToolResultMessage } from "@pikit/ai";

/** The tool calls whose tools want the run to end after their turn. */
export class ToolEndings {
  readonly #ending = new Set<string>();

  /** Notes that the tool of a call wants the run to end. */
  add(toolCallId: string): void {
    this.#ending.add(toolCallId);
  }

  /** Whether all calls of a turn want the run to end. Forgets them. */
  isEnd(results: readonly ToolResultMessage[]): boolean {
    if (this.#ending.size === 0) return false;
    const isEnd = results.length > 0 && results.every(({ toolCallId }) => this.#ending.has(toolCallId));
    this.#ending.clear();
    return isEnd;
  }
}
