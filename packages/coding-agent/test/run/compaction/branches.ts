import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage, Model } from "@pikit/ai";
import fc from "fast-check";
import type { EntryContent, SessionEntry } from "../../../src/conversation/entries.ts";
import { planCompaction, planOnRequest } from "../../../src/run/compaction/cut-point.ts";
import { assistantMessage, toolResult, userMessage } from "../../helpers/messages.ts";
import { add, textOfTokens } from "./helpers.ts";

type Add = (message: AgentMessage) => void;

interface Call {
  size: number;
  tool: "read" | "edit" | "bash";
  /** What became of it; `late` puts a shell command of the user's in between. */
  result: "given" | "failed" | "missing" | "late" | "image";
}

type Step =
  | { do: "prompt"; size: number; form: "text" | "image" | "document" }
  | { do: "answer"; writer: number; size: number; thinks: boolean; calls: Call[]; reason: "ends" | "error" | "aborted" }
  | { do: "bash"; size: number; isExcluded: boolean }
  | { do: "custom" | "customEntry" | "branchSummary" | "orphan"; size: number }
  | { do: "modelChange" | "label" | "todos" }
  | { do: "compaction"; keep: number };

/** Tokens of a message; now and then one that is longer than every budget. */
const size = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 60 }) }, { weight: 1, arbitrary: fc.constant(700) });
const call: fc.Arbitrary<Call> = fc.record({
  size,
  tool: fc.constantFrom("read", "edit", "bash"),
  result: fc.constantFrom("given", "given", "given", "failed", "missing", "late", "image"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("prompt"), size, form: fc.constantFrom("text", "text", "image", "document") }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("answer"),
      writer: fc.nat(),
      size,
      thinks: fc.boolean(),
      calls: fc.array(call, { maxLength: 3 }),
      reason: fc.constantFrom("ends", "ends", "ends", "ends", "error", "aborted"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bash"), size, isExcluded: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("custom", "customEntry", "branchSummary", "orphan"), size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("modelChange", "label", "todos") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compaction"), keep: fc.integer({ min: 0, max: 300 }) }) },
) as fc.Arbitrary<Step>;

/**
 * Random active branches: prompts with texts, images and documents, answers of several models with calls whose results may fail, come
 * late or be missing, failed answers, shell commands, messages of extensions, and earlier compactions.
 */
export function anyBranch(writers: readonly Model[]): fc.Arbitrary<SessionEntry[]> {
  return fc.array(step, { maxLength: 40 }).map((steps) => {
    const entries: SessionEntry[] = [];
    for (const item of steps) play(item, entries, writers);
    return entries;
  });
}

function play(step: Step, entries: SessionEntry[], writers: readonly Model[]): void {
  const say: Add = (message) => add(entries, { type: "message", message });
  const name = `n${entries.length}`;
  if (step.do === "answer") playAnswer(step, name, say, writers[step.writer % writers.length] as Model);
  else if (step.do !== "compaction") add(entries, contentOf(step, name));
  else {
    const plan = step.keep % 3 === 0 ? planOnRequest(entries, step.keep) : planCompaction(entries, step.keep);
    if (!plan) return;
    const id = `e${entries.length + 1}`;
    const { firstKeptEntryId = id } = plan;
    add(entries, { type: "compaction", summary: `Summary ${name}`, firstKeptEntryId, tokensBefore: 1 }, id);
  }
}

function contentOf(step: Exclude<Step, { do: "answer" | "compaction" }>, name: string): EntryContent {
  switch (step.do) {
    case "prompt":
      return { type: "message", message: promptOf(step.form, textOfTokens(step.size, name)) };
    case "bash":
      return { type: "message", message: bashMessage(step.size, step.isExcluded) };
    case "orphan":
      return { type: "message", message: toolResult("gone", textOfTokens(step.size, name)) };
    case "custom": {
      const content = textOfTokens(step.size, name);
      return { type: "message", message: { role: "custom", customType: "note", content, display: true, timestamp: 1 } };
    }
    case "customEntry":
      return { type: "custom_message", customType: "note", content: textOfTokens(step.size, name), display: false };
    case "branchSummary":
      return { type: "branch_summary", fromId: "gone", summary: textOfTokens(step.size, name) };
    case "modelChange":
      return { type: "model_change", provider: "p", modelId: "m" };
    case "label":
      return { type: "label", targetId: "e1", label: "here" };
    case "todos":
      return { type: "custom", customType: "pikit.todos", data: { phases: [] } };
  }
}

function promptOf(form: "text" | "image" | "document", text: string): AgentMessage {
  if (form === "text") return userMessage(text);
  const blocks = [{ type: "text" as const, text }];
  if (form === "image") return userMessage([...blocks, { type: "image", data: "AAAA", mimeType: "image/png" }]);
  const attachment = { id: "1", type: "document" as const, fileName: "a.txt", mimeType: "text/plain", size: 1, content: "YQ==" };
  return { ...userMessage([...blocks, { type: "text", text: "a.txt\na" }]), attachments: [attachment] };
}

function playAnswer(step: Extract<Step, { do: "answer" }>, name: string, say: Add, writer: Model): void {
  const content: AssistantMessage["content"] = [];
  if (step.thinks) content.push({ type: "thinking", thinking: "hm", thinkingSignature: "signed" });
  if (step.size > 0) content.push({ type: "text", text: textOfTokens(step.size, name) });
  for (const [index, { tool }] of step.calls.entries()) {
    content.push({ type: "toolCall", id: `${name}_${index}`, name: tool, arguments: { path: `${index}.ts` } });
  }
  const { api, provider, id: model } = writer;
  const ending = step.calls.length > 0 ? "toolUse" : "stop";
  const failed = { stopReason: step.reason as "error", errorMessage: "no" };
  say(assistantMessage("", { content, api, provider, model, ...(step.reason === "ends" ? { stopReason: ending } : failed) }));
  if (step.reason !== "ends") return;
  for (const [index, { result, size: tokens, tool }] of step.calls.entries()) {
    if (result === "missing") continue;
    if (result === "late") say(bashMessage(5, false));
    const message = { ...toolResult(`${name}_${index}`, textOfTokens(tokens, name)), toolName: tool, isError: result === "failed" };
    say(result === "image" ? { ...message, content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] } : message);
  }
}

function bashMessage(tokens: number, excludeFromContext: boolean): AgentMessage {
  const fields = { exitCode: 0, cancelled: false, truncated: false, fullOutputPath: null, timestamp: 1 };
  return { role: "bashExecution", command: "ls", output: textOfTokens(tokens), excludeFromContext, ...fields };
}
