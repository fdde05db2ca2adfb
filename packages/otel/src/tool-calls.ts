import { type Attributes, type Context, type Span, SpanKind } from "@opentelemetry/api";
import type { CommandProbe, McpCallProbe, ObservedCommand, ObservedMcpCall } from "@pikit/coding-agent";
import { textOf } from "./content.ts";
import { setError, within } from "./model-call.ts";
import { names } from "./names.ts";
import type { Settings } from "./settings.ts";
import { toVariables, writeTraceContext } from "./trace-context.ts";

interface OpenCall {
  span: Span;
  context: Context;
  labels: Attributes;
  startedAt: number;
}

/** A tool call as its first event describes it. */
export interface StartedCall {
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}

/** A tool call as its last event describes it. */
export interface EndedCall {
  toolCallId: string;
  result: { content: readonly { type: string; text?: string }[] };
  isError: boolean;
}

/** The spans of running tool calls, `execute_tool <name>`, and of the commands that they start. */
export class ToolCalls {
  readonly #settings: Settings;
  readonly #open = new Map<string, OpenCall>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  start({ toolCallId, toolName, args }: StartedCall, conversation: string, parent: Context): void {
    const { tracer, content } = this.#settings;
    const labels = { [names.operation]: "execute_tool", [names.toolName]: toolName };
    const attributes = {
      ...labels,
      [names.toolCall]: toolCallId,
      [names.toolType]: "function",
      [names.conversation]: conversation,
      ...(content && { [names.toolArguments]: content.json(args) }),
    };
    const span = tracer.startSpan(`execute_tool ${toolName}`, { kind: SpanKind.INTERNAL, attributes }, parent);
    this.#open.set(toolCallId, { span, context: within(span, parent), labels, startedAt: performance.now() });
  }

  end({ toolCallId, result, isError }: EndedCall): void {
    const { content } = this.#settings;
    const open = this.#open.get(toolCallId);
    if (!open) return;
    if (content) open.span.setAttribute(names.toolResult, content.text(textOf(result.content)));
    this.#close(toolCallId, open, isError ? "tool_error" : undefined);
  }

  /** Ends the spans of calls whose end was not observed. */
  endAll(): void {
    for (const [toolCallId, open] of this.#open) this.#close(toolCallId, open, "unfinished");
  }

  /** The context of a running call; undefined if there is none with that id. */
  contextOf(toolCallId: string | undefined): Context | undefined {
    return toolCallId === undefined ? undefined : this.#open.get(toolCallId)?.context;
  }

  /** Starts the span of a command. `parent`: that of a command that belongs to no call. */
  command({ command, toolCallId }: ObservedCommand, parent: Context): CommandProbe {
    const { tracer, content } = this.#settings;
    // The name of a shell command is that of the shell, because its text has too many values, and may be private.
    const program = typeof command === "string" ? "shell" : baseName(command[0]);
    const attributes = {
      [names.executable]: program,
      ...(toolCallId === undefined ? {} : { [names.toolCall]: toolCallId }),
      ...(content && {
        [names.commandArguments]: (typeof command === "string" ? [command] : [...command]).map((text) => content.text(text)),
      }),
    };
    const span = tracer.startSpan(program, { kind: SpanKind.CLIENT, attributes }, this.contextOf(toolCallId) ?? parent);
    return {
      env: toVariables(writeTraceContext(span)),
      ended(outcome) {
        if ("error" in outcome) {
          span.setAttribute(names.errorType, "not_started");
          setError(span, undefined);
        } else {
          const { exitCode, exitSignal, outcome: ending } = outcome.result;
          if (exitCode !== null) span.setAttribute(names.exitCode, exitCode);
          const errorType = ending === "exited" ? String(exitCode ?? exitSignal ?? 0) : ending;
          if (errorType !== "0") span.setAttribute(names.errorType, errorType);
          if (errorType !== "0" && errorType !== "aborted") setError(span, undefined);
        }
        span.end();
      },
    };
  }

  /** Adds what is known about a call of an MCP server to the span of the tool call: the conventions ask for no span of its own. */
  mcpCall({ toolCallId, server, tool, transport }: ObservedMcpCall): McpCallProbe | undefined {
    const { metrics } = this.#settings;
    const open = this.#open.get(toolCallId);
    if (!open) return undefined;
    const labels: Attributes = {
      [names.mcpMethod]: "tools/call",
      [names.networkTransport]: transport === "http" ? "tcp" : "pipe",
    };
    open.span.setAttributes({ ...labels, [names.mcpServer]: server });
    const startedAt = performance.now();
    return {
      meta: writeTraceContext(open.span),
      ended(outcome) {
        const isError = "error" in outcome || outcome.isError;
        metrics.mcpDuration.record((performance.now() - startedAt) / 1000, {
          ...labels,
          [names.toolName]: tool,
          ...(isError ? { [names.errorType]: "error" in outcome ? "_OTHER" : "tool_error" } : {}),
        });
      },
    };
  }

  #close(toolCallId: string, { span, labels, startedAt }: OpenCall, errorType: string | undefined): void {
    this.#open.delete(toolCallId);
    const more = errorType === undefined ? {} : { [names.errorType]: errorType };
    if (errorType !== undefined) setError(span, undefined);
    span.setAttributes(more);
    span.end();
    this.#settings.metrics.toolDuration.record((performance.now() - startedAt) / 1000, { ...labels, ...more });
  }
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) || path;
}
