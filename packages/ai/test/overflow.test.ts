import { expect, test } from "vitest";
import { AssistantMessageEventStream, emptyUsage, isSilentOverflow, MessageAssembler, type Usage } from "../src/index.ts";
import { assistant } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";

const model = testModel("test-api", "http://localhost", { contextWindow: 1000 });

function used(counts: Partial<Usage>): Usage {
  return { ...emptyUsage(), ...counts };
}

test.each([
  ["a prompt of the whole window", { input: 1000 }, 1000, "context_overflow"],
  ["a prompt of 99 % of it, most of it from the cache", { input: 90, cacheRead: 900 }, 1000, "context_overflow"],
  ["a shorter prompt", { input: 989 }, 1000, undefined],
  ["thinking that nobody was shown", { input: 1000, output: 5 }, 1000, undefined],
  ["a window that is not known", { input: 1000 }, 0, undefined],
])("ER-012 an empty answer that reached its limit after %s", async (_what, usage, contextWindow, code) => {
  const stream = new AssistantMessageEventStream();
  const assembler = new MessageAssembler({ ...model, contextWindow }, stream);
  assembler.setUsage(used(usage));
  assembler.done("length");
  expect(stream.failure?.code).toBe(code);
  expect((await stream.result()).stopReason).toBe(code ? "error" : "length");
});

test("ER-012 an answer that has content reached its limit, however full the window", async () => {
  const stream = new AssistantMessageEventStream();
  const assembler = new MessageAssembler(model, stream);
  assembler.setUsage(used({ input: 1000 }));
  assembler.openText().append("Half");
  assembler.done("length");
  expect(await stream.result()).toMatchObject({ stopReason: "length", content: [{ text: "Half" }] });
});

test.each([
  [{ input: 1001 }, "stop", true],
  [{ input: 1, cacheRead: 600, cacheWrite: 400 }, "toolUse", true],
  [{ input: 1000, output: 50 }, "stop", false],
  [{ input: 1001 }, "length", false],
  [{ input: 1001 }, "error", false],
] as const)("ER-012 usage %o of an answer that ended with %s: silent overflow %s", (usage, stopReason, expected) => {
  const answer = { ...assistant(model, [], stopReason), usage: used(usage) };
  expect(isSilentOverflow(answer, model)).toBe(expected);
  expect(isSilentOverflow(answer, { contextWindow: 0 })).toBe(false);
});
