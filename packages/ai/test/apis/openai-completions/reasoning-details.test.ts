import { describe, expect, test } from "vitest";
import { OpenAIEventReader } from "../../../src/apis/openai-completions/events.ts";
import { completionsWriter } from "../../../src/apis/openai-completions/request.ts";
import { user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";
import { replay } from "../../helpers/replay.ts";

const { createBody } = completionsWriter;

const model = testModel("openai-completions", "https://openrouter.ai/api/v1", { provider: "openrouter" });

function delta(fields: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta: fields, finish_reason }] };
}

function details(...reasoning_details: unknown[]): object {
  return delta({ content: "", reasoning_details });
}

async function answerOf(...events: unknown[]) {
  const { stream } = replay(model, (assembler, ofModel) => new OpenAIEventReader(assembler, ofModel), [
    ...events,
    delta({}, "stop"),
    "[DONE]",
  ]);
  return stream.result();
}

/** What goes back to the same model for such an answer. */
async function replayed(...events: unknown[]) {
  const messages = [user("a"), await answerOf(...events), user("b")];
  const body = createBody({ model, context: { messages }, options: {} });
  return JSON.parse(JSON.stringify(body.messages.find(({ role }) => role === "assistant")));
}

describe("OC-010 reasoning_details", () => {
  const text = (piece: string, more: object = {}) => ({ type: "reasoning.text", text: piece, index: 0, format: "x-v1", ...more });
  const encrypted = { type: "reasoning.encrypted", data: "opaque", id: "call_1", index: 1 };

  test("text pieces are shown once, merged, and go back with their signature", async () => {
    const events = [
      delta({ reasoning: "Let me ", reasoning_details: [text("Let me ")] }),
      delta({ reasoning: "see", reasoning_details: [text("see")] }),
      details({ type: "reasoning.text", signature: "signed", index: 0, text: null }),
      delta({ content: "Done" }),
    ];
    expect((await answerOf(...events)).content).toMatchObject([
      { type: "thinking", thinking: "Let me see" },
      { type: "text", text: "Done" },
    ]);
    expect(await replayed(...events)).toEqual({
      role: "assistant",
      content: "Done",
      reasoning_details: [text("Let me see", { signature: "signed" })],
    });
  });

  test("text that comes in the details only is shown too, and so are summaries", async () => {
    const summary = (piece: string) => ({ type: "reasoning.summary", summary: piece, index: 0 });
    const events = [
      details(summary("In "), summary("short")),
      details(text("At length", { index: 1 })),
      delta({ content: "Done" }),
    ];
    expect((await answerOf(...events)).content).toMatchObject([
      { type: "thinking", thinking: "In shortAt length" },
      { type: "text" },
    ]);
    expect((await replayed(...events)).reasoning_details).toEqual([summary("In short"), text("At length", { index: 1 })]);
  });

  test("encrypted entries go back verbatim, in order, also those in front of the call they belong to", async () => {
    const call = delta({ tool_calls: [{ index: 0, id: "call_1", function: { name: "ls", arguments: "{}" } }] });
    const events = [details(text("hm")), details(encrypted), details({ ...encrypted, index: 2 }), call];
    const { content, stopReason } = await answerOf(...events);
    expect(content).toMatchObject([
      { type: "thinking", thinking: "hm" },
      { type: "toolCall", id: "call_1" },
    ]);
    expect(stopReason).toBe("toolUse");
    expect((await replayed(...events)).reasoning_details).toEqual([text("hm"), encrypted, { ...encrypted, index: 2 }]);
  });

  test("encrypted entries without any text are kept in a thinking block of their own", async () => {
    const events = [details(encrypted), delta({ content: "Done" })];
    expect((await answerOf(...events)).content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: JSON.stringify([encrypted]) },
      { type: "text", text: "Done" },
    ]);
    expect((await replayed(...events)).reasoning_details).toEqual([encrypted]);
  });

  test("entries that are none, and lists that are none, are passed over", async () => {
    const events = [details(null, "x", [1]), delta({ reasoning_details: "x" }), delta({ content: "Done" })];
    expect((await answerOf(...events)).content).toEqual([{ type: "text", text: "Done" }]);
  });
});
