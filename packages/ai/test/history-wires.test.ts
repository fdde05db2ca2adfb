import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../src/index.ts";
import { anyHistory } from "./helpers/histories.ts";
import { assistant, result, user } from "./helpers/messages.ts";
import { type Target, targets } from "./helpers/wire-targets.ts";

const writers = targets.map(({ model }) => model);

describe.each(targets)("$model.api to $model.provider/$model.id", ({ model, writer: { createBody }, rules }) => {
  const convert = (messages: Message[]) =>
    JSON.stringify(createBody({ model, context: { messages }, options: { reasoning: "low" } }));

  test("AI-016 AI-020 AI-021 AI-023 AI-024 AI-025 AI-027 any history keeps the vendor's rules, unchanged, in the same bytes twice", () => {
    // Answers of the model itself and of one other are the likely case, and the one with signatures.
    const histories = fc.constantFrom(...writers).chain((other) => anyHistory([model, model, other]));
    fc.assert(
      fc.property(histories, (messages) => {
        const before = structuredClone(messages);
        const sent = convert(messages);
        expect(messages).toEqual(before);
        expect(convert(messages)).toBe(sent);
        // What is left of half a surrogate pair would be an escape.
        expect(sent).not.toMatch(/\\ud[89a-f]/i);
        rules(JSON.parse(sent));
      }),
      { numRuns: 150 },
    );
  });

  test("AI-020 the message that ends an aborted run changes nothing of the next request", () => {
    const call = assistant(model, [{ type: "toolCall", id: "call 1", name: "read", arguments: { path: "a" } }]);
    const note = { ...assistant(model, []), stopReason: "aborted" as const, errorMessage: "The run was aborted." };
    const before = [user("question"), call, result("call 1", "x")];
    const sent = convert([...before, note, user("go on")]);
    rules(JSON.parse(sent));
    expect(sent).toBe(convert([...before, user("go on")]));
  });
});

/** One of each API, and one that has its calls renamed. */
const [first, ...others] = targets;
const differing = [
  first as Target,
  ...others.filter(({ writer, model }, n) => writer !== targets[n]?.writer || model.provider === "mistral"),
];

test.each(differing)(
  "AI-008 a long conversation to $model.provider/$model.id takes linear time",
  async ({ model, writer: { createBody } }) => {
    await assertLinear(10_000, (turns) => {
      const messages = Array.from({ length: turns }, (_, index): Message[] => [
        user("question"),
        assistant(model, [
          { type: "text", text: "answer" },
          { type: "toolCall", id: `call ${index}`, name: "read", arguments: { path: "a" } },
        ]),
        result(`call ${index}`, "x"),
      ]).flat();
      return () => JSON.stringify(createBody({ model, context: { messages }, options: { reasoning: "low" } }));
    });
  },
);
