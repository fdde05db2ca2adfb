import type { AgentTool } from "@pikit/agent";
import { Type } from "@sinclair/typebox";

/** A tool that works until the test lets it go, or until its run is aborted. */
export interface Gate {
  tool: AgentTool;
  /** Resolves when a call has begun. */
  reached: Promise<void>;
  /** Ends the calls that wait, and those to come. */
  open(): void;
}

export function createGate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    tool: {
      name: "gate",
      label: "Gate",
      description: "Waits.",
      parameters: Type.Object({}),
      async execute(_toolCallId, _params, signal) {
        const aborted = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => aborted.resolve(), { once: true });
        reached.resolve();
        await Promise.race([opened.promise, aborted.promise]);
        signal.throwIfAborted();
        return { content: [{ type: "text", text: "open" }], details: null };
      },
    },
  };
}

/** An answer that calls the tool. */
export const throughGate = { toolCalls: [{ name: "gate", arguments: {} }] };
