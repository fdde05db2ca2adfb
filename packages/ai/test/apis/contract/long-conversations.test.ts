import { type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Message, type Model, type StreamOptions, stream } from "../../../src/index.ts";
import { assistant, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";
import { wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

/** Some 300 kB: more than is sent as one text. */
function longConversation(model: Model): Message[] {
  const turns = Array.from({ length: 30 }, (_, index) => [
    assistant(model, [{ type: "toolCall", id: `call_${index}`, name: "read", arguments: { path: "größe" } }]),
    result(`call_${index}`, "größer ".repeat(1400)),
  ]);
  return [user("question"), ...turns.flat()];
}

describe.each(wires)("$api", ({ api, wire }) => {
  const prepare = () => {
    const model = testModel(api, server.url);
    const messages = longConversation(model);
    const ask = (options: StreamOptions = {}, count = messages.length) =>
      stream(model, { messages: messages.slice(0, count), systemPrompt: "Be brief." }, options);
    return { messages, ask };
  };

  test("AI-040 a long conversation arrives whole, with its length, as that of a new conversation does", async () => {
    const { messages, ask } = prepare();
    server.respond(wire.text("a"), wire.text("b"), wire.text("c"));
    expect((await ask({ conversation: messages }, messages.length - 4).result()).stopReason).toBe("stop");
    expect((await ask({ conversation: messages }).result()).stopReason).toBe("stop");
    expect((await ask().result()).stopReason).toBe("stop");
    const [, kept, whole] = server.requests;
    expect(kept?.body).toEqual(whole?.body);
    const { "content-length": length, "transfer-encoding": encoding, "content-type": type } = kept?.headers ?? {};
    expect(length).toBe(whole?.headers["content-length"]);
    expect([encoding, type]).toEqual([undefined, whole?.headers["content-type"]]);
    expect(Number(length)).toBeGreaterThan(300_000);
  });

  test("is sent again after a redirect", async () => {
    const { messages, ask } = prepare();
    server.respond(wire.text("a"), { status: 307, headers: { location: "/elsewhere" } }, wire.text("b"));
    await ask({ conversation: messages }, messages.length - 4).result();
    expect((await ask({ conversation: messages }).result()).stopReason).toBe("stop");
    const [, first, second] = server.requests;
    expect(second?.path).toBe("/elsewhere");
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["content-length"]).toBe(first?.headers["content-length"]);
  });

  test("is a text for a fetch of the caller, and complete for a hook", async () => {
    const { messages, ask } = prepare();
    server.respond(wire.text("a"), wire.text("b"), wire.text("c"));
    await ask({ conversation: messages }, messages.length - 4).result();
    const bodies: unknown[] = [];
    const ownFetch: NonNullable<StreamOptions["fetch"]> = (url, init) => {
      bodies.push(init.body);
      return fetch(url, init);
    };
    await ask({ conversation: messages, fetch: ownFetch }).result();
    const payloads: unknown[] = [];
    await ask({ conversation: messages, onPayload: (payload) => void payloads.push(structuredClone(payload)) }).result();
    expect(JSON.parse(String(bodies[0]))).toEqual(server.requests[1]?.body);
    expect(payloads).toEqual([server.requests[1]?.body]);
  });

  test("has an error and an abort as a short one does", async () => {
    const { messages, ask } = prepare();
    server.respond(wire.text("a"), wire.error(401, "no key"), { ...wire.text("b"), after: new Promise(() => {}) });
    await ask({ conversation: messages }, messages.length - 4).result();
    const refused = ask({ conversation: messages });
    await refused.result();
    expect(refused.failure).toMatchObject({ code: "auth", status: 401 });
    const controller = new AbortController();
    const aborted = ask({ conversation: messages, signal: controller.signal });
    for (let count = 0; count < 3; count += 1) await server.nextRequest();
    controller.abort();
    expect((await aborted.result()).stopReason).toBe("aborted");
  });
});
