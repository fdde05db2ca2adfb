import type { ApiAdapter } from "../../api-adapter.ts";
import type { MessageAssembler } from "../../assembler.ts";
import { errorForStatus } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import type { Context, Model } from "../../types.ts";
import { priceUsage } from "../../usage.ts";
import type { ScriptedAnswer, ScriptedModel } from "./script.ts";

/** The number of calls so far, by model object, so that each session plays the script from the start. */
const callCounts = new WeakMap<Model, number>();

/** Deltas without a delay come in batches of this size, so that an abort or another session can run in between. */
const deltasPerBatch = 64;

export const streamScripted: ApiAdapter = async ({ model, context, options }, assembler) => {
  if (!isScripted(model)) {
    throw new AiError("unsupported", `${model.provider}/${model.id} has no script. Make scripted models with createScriptedModel.`);
  }
  const callIndex = callCounts.get(model) ?? 0;
  callCounts.set(model, callIndex + 1);
  const answer = await model.script(context, callIndex, options.signal);
  if (answer.error && !answer.text && !answer.thinking && !answer.toolCalls) throw scriptedError(answer.error, model);
  assembler.start();
  assembler.setUsage(priceUsage(model, { ...estimateUsage(context, answer), ...answer.usage }));
  await play(answer, assembler, options.signal);
  if (answer.error) throw scriptedError(answer.error, model);
  assembler.done(answer.toolCalls?.length ? "toolUse" : "stop");
};

async function play(answer: ScriptedAnswer, assembler: MessageAssembler, signal: AbortSignal | undefined): Promise<void> {
  const pace = createPace(answer.delayMs ?? 0, signal);
  if (answer.thinking) {
    const block = assembler.openThinking();
    for (const delta of words(answer.thinking)) {
      await pace();
      block.append(delta);
    }
    block.end();
  }
  if (answer.text || Array.isArray(answer.deltas)) {
    const block = assembler.openText();
    for (const delta of pieces(answer.text ?? "", answer.deltas)) {
      await pace();
      block.append(delta);
    }
    block.end();
  }
  for (const call of answer.toolCalls ?? []) {
    const id = call.id ?? nextCallId();
    const block = assembler.openToolCall({ id, name: call.name });
    await pace();
    block.append(JSON.stringify(call.arguments ?? {}));
    block.end();
  }
}

let callIdCount = 0;

/** Unique within a conversation, even one that an earlier process started. */
function nextCallId(): string {
  callIdCount += 1;
  return `call_${Date.now().toString(36)}_${callIdCount}`;
}

/** Waits `delayMs` before each delta; without a delay, waits for one turn of the event loop per batch. An abort ends the wait. */
function createPace(delayMs: number, signal: AbortSignal | undefined): () => Promise<void> | void {
  let count = 0;
  return () => {
    signal?.throwIfAborted();
    count += 1;
    if (delayMs <= 0 && count % deltasPerBatch !== 0) return;
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      signal?.addEventListener("abort", done, { once: true });
    });
  };
}

function pieces(text: string, deltas: ScriptedAnswer["deltas"]): Iterable<string> {
  if (Array.isArray(deltas)) return deltas;
  if (deltas === undefined) return words(text);
  return cut(text, deltas);
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [text];
}

/** Cuts text into `count` pieces of nearly equal length, never through a character. */
function* cut(text: string, count: number): Generator<string> {
  const characters = Array.from(text);
  const total = Math.max(1, Math.min(Math.floor(count), characters.length));
  for (let i = 0; i < total; i += 1) {
    yield characters.slice(Math.floor((i * characters.length) / total), Math.floor(((i + 1) * characters.length) / total)).join("");
  }
}

function estimateUsage(context: Context, answer: ScriptedAnswer): { input: number; output: number } {
  return { input: Math.ceil(JSON.stringify(context.messages).length / 4), output: Math.ceil(JSON.stringify(answer).length / 4) };
}

function scriptedError(error: { status?: number; message: string }, model: Model): AiError {
  return error.status === undefined
    ? new AiError("network", error.message)
    : errorForStatus(error.status, error.message, { provider: model.provider });
}

function isScripted(model: Model): model is ScriptedModel {
  return "script" in model && typeof model.script === "function";
}
