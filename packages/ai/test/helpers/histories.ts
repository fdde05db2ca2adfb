import fc from "fast-check";
import type { AssistantMessage, ImageContent, Message, Model } from "../../src/index.ts";
import { assistant, result, user } from "./messages.ts";

/** Texts that a conversation may hold, empty and broken ones too. */
const text = fc.constantFrom("", " \n", "text", "text \n", "half \ud83d pair", "👋🏽", "\ud83d", "<thinking>");
const id = fc.oneof(
  fc.constantFrom("", " ", "1", "2", "call_1", "call_2", "toolu_01A", "a1B2c3D4e"),
  fc.constantFrom("call_1|fc_1", "call_1|fc_2", "call.3", "größe", `call_${"x".repeat(70)}`, `call_${"x".repeat(70)}y`, "tail_"),
);
const name = fc.constantFrom("", " ", "read", "files.read", "files/read", "x".repeat(70));
const image = fc.constantFrom<ImageContent>(
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/bmp" },
);
/** Of the kinds that the wires leave behind, and some that none of them does. */
const textSignature = fc.constantFrom(
  undefined,
  "",
  "signed",
  "c2ln",
  JSON.stringify({ id: "msg_1", phase: "final_answer" }),
  "[broken",
);
const thinkingSignature = fc.constantFrom(
  undefined,
  "",
  "signed",
  "c2ln",
  "reasoning_content",
  JSON.stringify([{ type: "reasoning.text", text: "hm", index: 0 }]),
  JSON.stringify({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "opaque" }),
  JSON.stringify({ type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "hm" }] }),
  "{broken",
);
const args = fc.constantFrom<unknown>({}, { path: "a" }, { text: "half \ud83d", list: [{ "\udc4b": null }] }, null, undefined);

const textBlock = fc.record({ type: fc.constant("text" as const), text, textSignature });
const block = fc.oneof(
  textBlock,
  fc.record({
    type: fc.constant("thinking" as const),
    thinking: text,
    thinkingSignature,
    redacted: fc.constantFrom(undefined, true),
  }),
  fc.record({ type: fc.constant("toolCall" as const), id, name, arguments: args, thoughtSignature: textSignature }),
);
const inputs = fc.array(
  fc.oneof(
    text.map((value) => ({ type: "text" as const, text: value })),
    image,
  ),
  { maxLength: 3 },
);
const stopReason = fc.constantFrom<AssistantMessage["stopReason"]>("stop", "toolUse", "toolUse", "length", "error", "aborted");

/**
 * Any conversation that could have been stored, however broken: orphaned, missing, late and doubled results, foreign and unsigned
 * thinking, ids and names that no vendor takes, empty messages, in any order.
 *
 * @param writers - The models that may have given the answers.
 */
export function anyHistory(writers: readonly Model[]): fc.Arbitrary<Message[]> {
  const answer = fc
    .tuple(fc.constantFrom(...writers), fc.array(block, { maxLength: 5 }), stopReason)
    .map(([writer, content, reason]): Message => assistant(writer, content as AssistantMessage["content"], reason));
  const outcome = fc
    .tuple(id, name, inputs, fc.boolean())
    .map(([callId, toolName, content, isError]): Message => ({ ...result(callId, ""), toolName, content, isError }));
  const prompt = fc.oneof(text, inputs).map((content): Message => user(content));
  // Half of all histories are turns that belong together, so that the deeper rules get something to do.
  const turn = fc
    .tuple(prompt, answer, inputs, fc.boolean())
    .map(([question, reply, content, isError]) => [
      question,
      reply,
      ...(reply.role === "assistant" ? reply.content : []).flatMap((part): Message[] =>
        part.type === "toolCall" ? [{ ...result(part.id, ""), toolName: part.name, content, isError }] : [],
      ),
    ]);
  const single = fc.oneof(prompt, answer, outcome).map((message) => [message]);
  return fc.array(fc.oneof(turn, single), { maxLength: 12 }).map((turns) => turns.flat());
}
