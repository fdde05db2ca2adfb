import { describe, expect, test } from "vitest";
import { prepareRequest, type RequestWriter } from "../../src/apis/prepared-request.ts";
import { RequestContent } from "../../src/apis/request-content.ts";
import { KeptHistories } from "../../src/history/kept-histories.ts";
import type { HistoryConverter } from "../../src/history/kept-history.ts";
import type { ImageContent, Message, Model } from "../../src/index.ts";
import { assistant, result, user } from "../helpers/messages.ts";
import { type Target, targets } from "../helpers/wire-targets.ts";

/** One turn: an answer with a call, and the result of the call. */
function turn(model: Model, index: number, text = "alpha"): Message[] {
  return [
    assistant(model, [
      { type: "text", text: "Reading" },
      { type: "toolCall", id: `call_${index}`, name: "read", arguments: { path: "a" } },
    ]),
    result(`call_${index}`, text),
  ];
}

/** A writer that counts the messages that it converts. */
function counting({ wireOf, createBody }: Target["writer"]): RequestWriter<object, unknown> & { taken(): number } {
  let converted = 0;
  const watch = (converter: HistoryConverter<unknown>): HistoryConverter<unknown> => ({
    convert(messages, part) {
      converted += messages.length;
      return converter.convert(messages, part);
    },
    fork: () => watch(converter.fork()),
  });
  return {
    createBody,
    wireOf(request) {
      const wire = wireOf(request);
      return { ...wire, createConverter: () => watch(wire.createConverter()) };
    },
    taken() {
      const count = converted;
      converted = 0;
      return count;
    },
  };
}

describe.each(targets)("$model.api to $model.provider/$model.id", ({ model, writer }) => {
  test("AI-041 a turn converts and serialises the new messages, however many there are", async () => {
    const counted = counting(writer);
    const conversation = {};
    const messages: Message[] = [user("question")];
    const counts: number[] = [];
    const fresh: number[] = [];
    for (let index = 1; index <= 100; index += 1) {
      messages.push(...turn(model, index));
      const { body } = await prepareRequest({ model, context: { messages: [...messages] }, options: { conversation } }, counted);
      counts.push(counted.taken());
      fresh.push(JSON.stringify(body).length);
    }
    expect(new Set(counts.slice(2))).toEqual(new Set([counts[2]]));
    expect(counts[2]).toBeLessThanOrEqual(8);
    // Only the ids grow, by a digit.
    expect(Math.max(...fresh)).toBeLessThan((fresh[2] ?? 0) + 20);
  });

  test("AI-040 a conversation that goes on in another way after the part that is kept has the bytes of the whole", async () => {
    const conversation = {};
    const kept = [user("question"), ...turn(model, 1)];
    for (const rest of [turn(model, 2), [user("another question")], [], turn(model, 3), turn(model, 3).slice(1)]) {
      const request = { model, context: { messages: [...kept, ...rest] }, options: {} };
      const { content } = await prepareRequest({ ...request, options: { conversation } }, writer);
      expect(content.toText()).toBe(JSON.stringify(writer.createBody(request)));
    }
  });

  test("a conversation that begins anew, and one for another model, are converted as a whole", async () => {
    const counted = counting(writer);
    const conversation = {};
    const messages = [user("question"), ...Array.from({ length: 30 }, (_, index) => turn(model, index)).flat()];
    const ask = async (context: Message[], asked = model) => {
      await prepareRequest({ model: asked, context: { messages: context }, options: { conversation } }, counted);
      return counted.taken();
    };
    expect(await ask(messages)).toBeGreaterThan(60);
    expect(await ask(messages)).toBeLessThan(10);
    expect(await ask(messages, { ...model, id: "another" })).toBeGreaterThan(60);
    expect(await ask(messages)).toBeGreaterThan(60);
    expect(await ask([user("summary"), ...messages.slice(-5)])).toBeLessThan(10);
    expect(await ask(messages)).toBeGreaterThan(60);
  });
});

const [claude] = targets as [Target];

test("AI-042 beyond the maximum, the conversations that were used least recently are converted anew", () => {
  const { model, writer } = claude;
  const { wireOf, taken } = counting(writer);
  const histories = new KeptHistories(10_000, 10_000);
  const conversations = Array.from({ length: 12 }, (_, index) => {
    return [user("question"), ...turn(model, index, "x".repeat(1000)), ...turn(model, 100 + index)];
  });
  const ask = (messages: Message[]) => {
    histories.convert(messages, messages, wireOf({ model, context: { messages }, options: {} }));
    return taken();
  };
  const whole = ask(conversations[0] as Message[]);
  for (const messages of conversations) ask(messages);
  expect(ask(conversations[0] as Message[])).toBe(whole);
  expect(ask(conversations.at(-1) as Message[])).toBeLessThan(whole);
});

test("a conversation that is too long to be kept is sent as any other, and then converted as a whole", () => {
  const { model, writer } = claude;
  const histories = new KeptHistories(10_000, 100);
  const { wireOf, taken } = counting(writer);
  const messages = [user("question"), ...turn(model, 1), ...turn(model, 2)];
  const request = { model, context: { messages }, options: {} };
  for (const converted of [7, 5]) {
    const { items, kept } = histories.convert(messages, messages, wireOf(request));
    expect(taken()).toBe(converted);
    const sent = RequestContent.join({ messages: items }, items, kept).toText();
    expect(JSON.parse(sent).messages).toHaveLength(5);
  }
});

test("a long conversation that was not sent before is converted in steps, and other work gets its turn", async () => {
  const { model, writer } = claude;
  const messages = [user("question"), ...Array.from({ length: 40 }, (_, index) => turn(model, index, "x".repeat(50_000))).flat()];
  const request = { model, context: { messages }, options: {} };
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { content } = await prepareRequest({ ...request, options: { conversation: messages } }, writer);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(content.toText()).toBe(JSON.stringify(writer.createBody(request)));
});

test("a limit for many images applies to those of earlier requests", async () => {
  const { model, writer } = claude;
  const wide: ImageContent = { type: "image", mimeType: "image/png", data: pngOf(4000) };
  const messages: Message[] = [user([wide])];
  const conversation = {};
  for (let index = 1; index <= 24; index += 1) {
    messages.push(...turn(model, index), user([{ ...wide }]));
    const request = { model, context: { messages: [...messages] }, options: {} };
    const { content } = await prepareRequest({ ...request, options: { conversation } }, writer);
    expect(content.toText()).toBe(JSON.stringify(writer.createBody(request)));
    expect(content.toText().includes("An image was here")).toBe(index >= 20);
  }
});

test("an adapter that fails keeps nothing, and the next request is whole", async () => {
  const { model, writer } = claude;
  const conversation = {};
  const broken = assistant(model, [{ type: "toolCall", id: "call_1", name: "read", arguments: {} }]);
  const messages = [user("question"), broken, result("call_1", "alpha"), ...turn(model, 2)];
  const request = { model, context: { messages }, options: { conversation } };
  // What JSON cannot hold.
  Object.assign(broken.content[0] as object, { arguments: { size: 1n } });
  await expect(prepareRequest(request, writer)).rejects.toThrow(TypeError);
  Object.assign(broken.content[0] as object, { arguments: { size: 1 } });
  const { content } = await prepareRequest(request, writer);
  expect(content.toText()).toBe(JSON.stringify(writer.createBody({ ...request, options: {} })));
});

/** The beginning of a PNG with this width, which is all that a size needs. */
function pngOf(width: number): string {
  const bytes = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA=", "base64");
  bytes.writeUInt32BE(width, 16);
  return bytes.toString("base64");
}
