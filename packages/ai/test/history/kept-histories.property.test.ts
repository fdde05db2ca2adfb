import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiRequest } from "../../src/api-adapter.ts";
import { prepareRequest } from "../../src/apis/prepared-request.ts";
import type { Message } from "../../src/index.ts";
import { anyHistory } from "../helpers/histories.ts";
import { targets } from "../helpers/wire-targets.ts";

const models = targets.map(({ model }) => model);

/** What a request depends on besides its messages. */
const setting = fc.record({
  reasoning: fc.constantFrom("off" as const, "low" as const),
  cacheRetention: fc.constantFrom("none" as const, "short" as const, "long" as const),
  systemPrompt: fc.constantFrom("", "Be brief."),
});

/** What happens to a conversation between two calls. Most often it grows. */
const change = fc.oneof(
  { weight: 12, arbitrary: fc.record({ add: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ cut: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ rewrite: fc.nat(12) }) },
);

test.each(targets)(
  "AI-040 any growing conversation to $model.api of $model.provider/$model.id has the bytes of the whole",
  async ({ model, writer }) => {
    const histories = fc.constantFrom(...models).chain((other) => anyHistory([model, model, model, other]));
    const changes = fc.array(fc.tuple(change, setting), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(histories, changes, fc.boolean(), async (history, steps, isSteady) => {
        const conversation = {};
        let waiting = structuredClone(history);
        const messages: Message[] = [];
        for (const [what, given] of steps) {
          if ("add" in what) messages.push(...waiting.splice(0, what.add));
          // Goes on without the first of the last messages, such as the answer at which a part begins.
          else if ("cut" in what) waiting = [...messages.splice(-what.cut).slice(1), ...waiting];
          else changeInPlace(messages[what.rewrite]);
          const { systemPrompt, ...options } = isSteady ? (steps[0]?.[1] ?? given) : given;
          const request: ApiRequest = { model, context: { messages: [...messages], systemPrompt }, options };
          const { content } = await prepareRequest({ ...request, options: { ...options, conversation } }, writer);
          expect(content.toText()).toBe(JSON.stringify(writer.createBody(request)));
        }
      }),
      { numRuns: 80 },
    );
  },
);

/** As a program may do that removes a secret. */
function changeInPlace(message: Message | undefined): void {
  if (message === undefined) return;
  if (typeof message.content === "string") message.content = "changed";
  else for (const block of message.content) if (block.type === "text") block.text = "changed";
}
