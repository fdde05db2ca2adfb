import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewriteToolCallId, type ToolCallIdRule } from "../../src/history/tool-call-ids.ts";
import { prepareHistory } from "../../src/history.ts";
import type { Message, Model } from "../../src/index.ts";
import { anyCharacter } from "../helpers/characters.ts";
import { assistant, result, user } from "../helpers/messages.ts";
import { testModel } from "../helpers/models.ts";

const claude = testModel("anthropic-messages", "http://localhost");
const gpt = testModel("openai-completions", "http://localhost");
const writer = { ...gpt, id: "writer" };
const long = `call_${"x".repeat(80)}`;

function call(id: string) {
  return { type: "toolCall" as const, id, name: "read", arguments: {} };
}

/** The ids of calls and results, in order, of a conversation with these calls, each in a turn of its own. */
function sentIds(model: Model, ids: string[], by: Model = writer): [string, string][] {
  const messages = ids.flatMap((id): Message[] => [user("a"), assistant(by, [call(id)]), result(id, "r")]);
  const prepared = prepareHistory(messages, model, model.provider === "mistral" ? { toolCallIds: "alphanumeric9" } : {});
  const calls = prepared.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const results = prepared.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  return calls.map((block, index) => [block.type === "toolCall" ? block.id : "", results[index] ?? ""]);
}

const forms: Record<Exclude<ToolCallIdRule, "any">, RegExp> = {
  safe64: /^[\w-]{1,64}$/,
  short40: /^[\w-]{1,40}$/,
  alphanumeric9: /^[A-Za-z0-9]{9}$/,
};

describe("AI-025 tool-call ids are rewritten for the target, for call and result alike", () => {
  test.each([
    { model: claude, form: forms.safe64 },
    { model: testModel("google-generative-ai", "http://localhost"), form: forms.safe64 },
    { model: gpt, form: forms.short40 },
    { model: { ...gpt, provider: "mistral" }, form: forms.alphanumeric9 },
  ])("$model.api of $model.provider", ({ model, form }) => {
    const ids = sentIds(model, ["call_1", "call.2", long, "call|fc_1", "call|fc_2", "ürgs", "🙂"]);
    for (const [callId, resultId] of ids) {
      expect(callId).toMatch(form);
      expect(resultId).toBe(callId);
    }
    expect(new Set(ids.map(([id]) => id)).size).toBe(7);
  });

  test("ids that the target takes stay as they are", () => {
    expect(sentIds(claude, ["toolu_01A-b", "x".repeat(64)]).map(([id]) => id)).toEqual(["toolu_01A-b", "x".repeat(64)]);
    expect(sentIds(gpt, ["call_1"]).map(([id]) => id)).toEqual(["call_1"]);
    expect(rewriteToolCallId("a1B2c3D4e", "alphanumeric9")).toBe("a1B2c3D4e");
  });

  test("what the very model said is left alone, however long, where the wire allows it", () => {
    expect(sentIds(gpt, [long, "call.2"], gpt).map(([id]) => id)).toEqual([long, "call.2"]);
    expect(sentIds(claude, [long], claude)[0]?.[0]).toMatch(forms.safe64);
  });

  test("apis without a rule, such as those that are added, get every id as it is", () => {
    expect(sentIds(testModel("added", ""), [long, "a|b"]).map(([id]) => id)).toEqual([long, "a|b"]);
  });

  test("an id that comes again in a later turn becomes a new one, in the same way on every request", () => {
    const ids = sentIds(claude, ["call_0", "call_0", "call_0"]);
    expect(ids.map(([id]) => id)).toEqual(["call_0", expect.stringMatching(/^call_0_/), expect.stringMatching(/^call_0_/)]);
    expect(new Set(ids.map(([id]) => id)).size).toBe(3);
    for (const [callId, resultId] of ids) expect(resultId).toBe(callId);
    expect(sentIds(claude, ["call_0", "call_0", "call_0", "call_0"]).slice(0, 3)).toEqual(ids);
  });
});

test("AI-008 an id that comes 20,000 times takes linear time", async () => {
  await assertLinear(20_000, (count) => () => {
    const ids = sentIds(claude, new Array(count).fill("call_0")).map(([id]) => id);
    expect(new Set(ids).size).toBe(count);
  });
});

describe("AI-026 different ids stay different", () => {
  test.each(Object.keys(forms) as (keyof typeof forms)[])("%s: two long ids with the same first 64 characters", (rule) => {
    const [a, b] = [`${"x".repeat(64)}${"y".repeat(386)}`, `${"x".repeat(64)}${"z".repeat(386)}`];
    expect(rewriteToolCallId(a, rule)).not.toBe(rewriteToolCallId(b, rule));
    expect(rewriteToolCallId(a, rule)).toBe(rewriteToolCallId(a, rule));
    expect(rewriteToolCallId(a, rule)).toMatch(forms[rule]);
  });

  test("OC-018 composite ids of the Responses API that share their call part", () => {
    const [a, b] = [rewriteToolCallId("call_1|fc_a", "short40"), rewriteToolCallId("call_1|fc_b", "short40")];
    expect(a).toMatch(/^call_1_fc_a_\w+$/);
    expect(a.length).toBeLessThanOrEqual(40);
    expect(b).not.toBe(a);
  });

  test("any two of many ids, whatever they look like", () => {
    const rules = Object.keys(forms) as (keyof typeof forms)[];
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80, unit: anyCharacter }), { maxLength: 200 }), (ids) => {
        for (const rule of rules) {
          const rewritten = ids.map((id) => rewriteToolCallId(id, rule));
          expect(new Set(rewritten).size).toBe(ids.length);
          for (const id of rewritten) expect(id).toMatch(forms[rule]);
        }
      }),
    );
  });

  test("100,000 ids that differ in a number only", () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => rewriteToolCallId(`call ${index} of a longer name`, "alphanumeric9"));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
