import { once } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ClientTool, HostToolContext } from "../src/index.ts";
import { errorOf } from "./helpers/clients.ts";
import { startPuppet } from "./helpers/puppet.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const call = (id: string, toolName = "weather") => ({
  ...{ type: "host_tool_call", id, toolCallId: `call_${id}`, toolName, arguments: { city: "Oslo" } },
});
const result = (id: string, text: string) => ({ type: "host_tool_result", id, result: { content: [{ type: "text", text }] } });
const failure = (id: string, text: string) => ({ ...result(id, text), isError: true });
const tool = (execute: ClientTool<{ city: string }>["execute"], name = "weather"): ClientTool<{ city: string }> => ({
  ...{ name, description: "Tells the weather.", parameters, execute },
});

test("setTools tells the agent of the tools, and their calls run here", async () => {
  await using puppet = await startPuppet();
  const { client } = puppet;
  const contexts: HostToolContext[] = [];
  const weather: ClientTool<{ city: string }> = {
    ...{ name: "weather", label: "Weather", description: "Tells the weather.", parameters, timeoutMs: 5000 },
    execute: ({ city }, context) => {
      contexts.push(context);
      return `${city}: sun`;
    },
  };
  expect(await client.setTools([weather])).toEqual(["weather"]);
  const { execute: _, ...definition } = weather;
  expect(await puppet.received()).toMatchObject({ type: "set_host_tools", tools: [definition] });
  await puppet.write(call("h1"));
  expect(await puppet.received()).toEqual(result("h1", "Oslo: sun"));
  expect(contexts).toMatchObject([{ toolCallId: "call_h1" }]);
});

test("parameters may be a Zod schema: the agent gets its JSON Schema, and Zod has its say before the tool runs", async () => {
  await using puppet = await startPuppet();
  const schema = z.object({ city: z.string().refine((city) => city !== "Atlantis", "sank"), days: z.number().default(3) });
  const weather: ClientTool<z.infer<typeof schema>> = {
    ...{ name: "weather", description: "Tells the weather.", parameters: schema },
    execute: ({ city, days }) => `${city satisfies string}: ${days satisfies number} days of sun`,
  };
  await puppet.client.setTools([weather]);
  const properties = { city: { type: "string" }, days: { type: "number", default: 3 } };
  const shown = { type: "object", properties, required: ["city"] };
  expect(await puppet.received()).toMatchObject({ tools: [{ name: "weather", parameters: shown }] });
  await puppet.write(call("h1"));
  expect(await puppet.received()).toEqual(result("h1", "Oslo: 3 days of sun"));
  await puppet.write({ ...call("h2"), arguments: { city: "Atlantis" } });
  expect(await puppet.received()).toEqual(failure("h2", "Invalid arguments for weather. /city: sank."));
});

test("answers may be a text, content with details, an error, or nothing; what is thrown is an error result", async () => {
  await using puppet = await startPuppet();
  const content = [{ type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" }];
  const answers: Record<string, () => ReturnType<ClientTool["execute"]>> = {
    text: () => "Hi",
    content: () => ({ content, details: { width: 1 } }),
    nothing: () => undefined,
    told: () => ({ content: [], isError: true }),
    thrown: () => {
      throw new Error("no network");
    },
    rejected: async () => await Promise.reject("a text"),
    large: () => "x".repeat(64 * 1024 * 1024),
  };
  const tools = Object.entries(answers).map(([name, execute]) => tool(execute, name));
  await puppet.client.setTools(tools);
  await puppet.received();
  const received: unknown[] = [];
  for (const name of Object.keys(answers)) {
    await puppet.write(call(name, name));
    received.push(await puppet.received());
  }
  expect(received).toEqual([
    result("text", "Hi"),
    { type: "host_tool_result", id: "content", result: { content, details: { width: 1 } } },
    { type: "host_tool_result", id: "nothing", result: { content: [] } },
    { type: "host_tool_result", id: "told", result: { content: [] }, isError: true },
    failure("thrown", "no network"),
    failure("rejected", "a text"),
    failure("large", expect.stringMatching(/characters long, but an agent reads at most/)),
  ]);
});

test("updates are streamed; a cancelled call aborts its signal, and its later updates and answer are dropped", async () => {
  await using puppet = await startPuppet();
  const finished = Promise.withResolvers<void>();
  const slow = tool(async ({ city }, { signal, update }) => {
    update(`${city}: looking`);
    await once(signal, "abort");
    update("late");
    queueMicrotask(finished.resolve);
    return "late";
  });
  await puppet.client.setTools([slow, tool(() => "quick", "quick")]);
  await puppet.received();
  await puppet.write(call("h1"));
  expect(await puppet.received()).toEqual({
    type: "host_tool_update",
    id: "h1",
    partialResult: { content: [{ type: "text", text: "Oslo: looking" }] },
  });
  await puppet.write(
    { type: "host_tool_cancel", id: "c1", targetId: "unknown" },
    { type: "host_tool_cancel", id: "c2", targetId: "h1" },
  );
  await finished.promise;
  await puppet.write(call("h2", "quick"));
  expect(await puppet.received()).toEqual(result("h2", "quick"));
});

test("a call of a tool that is not there is an error result, and a call without its fields is noise", async () => {
  await using puppet = await startPuppet();
  await puppet.write({ type: "host_tool_call", id: "h0" }, call("h1"));
  expect(await puppet.received()).toEqual(failure("h1", 'This program has no tool "weather".'));
});

test("a refused set leaves the former tools; calls that run go on under the next set", async () => {
  await using puppet = await startPuppet();
  const { client } = puppet;
  const goOn = Promise.withResolvers<void>();
  await client.setCustomTools([tool(async () => await goOn.promise.then(() => "first"))]);
  await puppet.received();
  expect(await errorOf(client.setTools([tool(() => "built in", "bash")]))).toMatchObject({ code: "command_failed" });
  await puppet.write(call("h1"));
  await client.setHostTools([tool(() => "second", "other")]);
  await puppet.received();
  goOn.resolve();
  expect(await puppet.received()).toEqual(result("h1", "first"));
  await puppet.write(call("h2"));
  expect(await puppet.received()).toEqual(failure("h2", 'This program has no tool "weather".'));
});

test("tools that were set before start are told at each start; the end of the process aborts their calls", async () => {
  const puppet = await startPuppet();
  const { client } = puppet;
  const called = Promise.withResolvers<AbortSignal>();
  await client.stop();
  expect(
    await client.setTools([
      tool(async (_, { signal }) => {
        called.resolve(signal);
        await once(signal, "abort");
        return "late";
      }),
    ]),
  ).toEqual(["weather"]);
  await client.start();
  await client.prompt(JSON.stringify([call("h1")]));
  const signal = await called.promise;
  await client.stop();
  expect(signal.reason).toMatchObject({ code: "stopped" });
});
