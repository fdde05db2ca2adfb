import type { AgentTool, AgentToolResult } from "@pikit/agent";
import type { Static, TSchema } from "@sinclair/typebox";

export interface RunOptions<TDetails> {
  /** Default: one that never aborts. */
  signal?: AbortSignal;
  onUpdate?: (partial: AgentToolResult<TDetails>) => void;
}

/** Runs a tool as the loop does, past validation. */
export function runTool<TParameters extends TSchema, TDetails>(
  tool: AgentTool<TParameters, TDetails>,
  params: Static<TParameters>,
  { signal = new AbortController().signal, onUpdate = () => undefined }: RunOptions<TDetails> = {},
): Promise<AgentToolResult<TDetails>> {
  return tool.execute("call_1", params, signal, onUpdate);
}

/** The text blocks of a result. */
export function textOf({ content }: AgentToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}
