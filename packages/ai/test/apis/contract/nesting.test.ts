import { type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AssistantMessage, type Context, isTooDeep, stream } from "../../../src/index.ts";
import { testModel } from "../../helpers/models.ts";
import { askWire, hello, outcomeOf, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

describe.each(wires)("$api", (wireCase) => {
  const { api, wire } = wireCase;

  test("AI-039 arguments that are nested too deep are an error of the call, and the conversation goes on", async () => {
    server.respond(wire.toolCall("ls", nested(3000)), wire.toolCall("ls", nested(100)), wire.text("Hello"));
    const answer = askWire(wireCase, server);
    const partials: unknown[] = [];
    const outcome = await outcomeOf(answer, (event) => {
      if (event.type !== "toolcall_delta") return;
      const [block] = event.partial.content;
      if (block?.type === "toolCall") partials.push(block.arguments);
    });
    const argumentsError = "The arguments are nested more than 100 levels deep. Send the call again with flatter ones.";
    expect(outcome).toMatchObject({ stopReason: "toolUse", content: [{ name: "ls", arguments: {}, argumentsError }] });
    expect(partials.filter((value) => isTooDeep(value))).toEqual([]);
    const second = await outcomeOf(askWire(wireCase, server));
    expect(second.content).toEqual([{ name: "ls", arguments: nested(100) }]);
    const context: Context = { messages: [...hello.messages, await answer.result()] };
    expect(await stream(testModel(api, server.url), context).result()).toMatchObject({ stopReason: "stop" });
  });

  test("AI-039 a conversation that holds such arguments can be sent", async () => {
    server.respond(wire.text("Hello"));
    const old: AssistantMessage = {
      ...(await askWire(wireCase, server).result()),
      content: [{ type: "toolCall", id: "call_1", name: "ls", arguments: { path: "a", deep: nested(100_000) } }],
      stopReason: "toolUse",
    };
    server.respond(wire.text("Hello"));
    const context: Context = { messages: [...hello.messages, old] };
    expect(await stream(testModel(api, server.url), context).result()).toMatchObject({ stopReason: "stop" });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("nested more than 100 levels deep");
  });
});
