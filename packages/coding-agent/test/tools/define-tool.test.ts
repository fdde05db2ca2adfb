import { type Context, createScriptedModel } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type ExtensionFactory, type ToolDefinition, Type } from "../../src/index.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** What a tool's `execute` got, as the model reads it. */
const told = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }], details: null });

const citySchema = {
  type: "object",
  properties: { city: { type: "string", description: "Its name" } },
  required: ["city"],
};

/** The same tool from each kind of schema. The type of `city` comes from the schema, or is named where a schema has none. */
const tools = {
  TypeBox: defineTool({
    name: "weather",
    description: "Tells the weather.",
    parameters: Type.Object({ city: Type.String({ description: "Its name" }) }),
    execute: async (_id, { city }) => told(city satisfies string),
  }),
  Zod: defineTool({
    name: "weather",
    description: "Tells the weather.",
    parameters: z.object({ city: z.string().describe("Its name") }),
    execute: async (_id, { city }) => told(city satisfies string),
  }),
  "Zod, converted by its own function": defineTool({
    name: "weather",
    description: "Tells the weather.",
    parameters: z.toJSONSchema(z.object({ city: z.string().describe("Its name") }), { io: "input" }),
    execute: async (_id, args) => told((args as { city: string }).city),
  }),
  "plain JSON Schema": defineTool<{ city: string }>({
    name: "weather",
    description: "Tells the weather.",
    parameters: citySchema,
    execute: async (_id, { city }) => told(city satisfies string),
  }),
};

/** Calls the tool "weather" with each of the arguments; gives what the model was shown of it, and what it read as results. */
async function call(argumentsOfCalls: readonly Record<string, unknown>[], options: CreateAgentSessionOptions) {
  const asked: Context[] = [];
  const answers = argumentsOfCalls.map((args) => ({ toolCalls: [{ name: "weather", arguments: args }] }));
  const model = createScriptedModel({
    script(context) {
      asked.push(context);
      return answers[asked.length - 1] ?? { text: "Done." };
    },
  });
  const { session, events } = await openSession(workspace, { model, session: "memory", tools: [], ...options });
  await session.prompt("Go");
  const results = events.flatMap((event) =>
    event.type === "tool_execution_end" ? event.result.content.map((block) => (block.type === "text" ? block.text : "")) : [],
  );
  return { shown: JSON.parse(JSON.stringify(asked[0]?.tools?.[0]?.parameters)), results };
}

/** A tool of the session, and of an extension. */
const places = {
  customTools: (tool: ToolDefinition): CreateAgentSessionOptions => ({ customTools: [tool] }),
  "registerTool of an extension": (tool: ToolDefinition): CreateAgentSessionOptions => ({
    extensions: [((pi) => pi.registerTool(tool)) satisfies ExtensionFactory],
  }),
};

describe.each(Object.entries(places))("%s", (_place, give) => {
  test.each(Object.entries(tools))(
    "takes parameters as %s: the model sees them, calls are checked by them",
    async (_kind, tool) => {
      const { shown, results } = await call([{ city: "Bergen" }, { town: "Bergen" }], give(tool as ToolDefinition));
      expect(shown).toEqual(citySchema);
      expect(results).toEqual(['"Bergen"', expect.stringMatching(/^Invalid arguments for weather\. .*city/)]);
    },
  );

  test("applies what only Zod knows: defaults, transformations and checks", async () => {
    const tool = defineTool({
      name: "weather",
      description: "Tells the weather.",
      parameters: z.object({
        city: z.string().refine((city) => city !== "Atlantis", "sank"),
        days: z.number().default(3),
        since: z.iso.date().pipe(z.coerce.date()).optional(),
      }),
      execute: async (_id, { city, days, since }) => told([city, days satisfies number, since?.getTime()]),
    });
    const { results } = await call([{ city: "Bergen", since: "2026-01-01" }, { city: "Atlantis" }], give(tool as ToolDefinition));
    expect(results).toEqual([
      `["Bergen",3,${Date.UTC(2026, 0, 1)}]`,
      'Invalid arguments for weather. /city: sank. Received: {"city":"Atlantis"}. Call the tool again with corrected arguments.',
    ]);
  });
});

/** A schema as a Zod that is too old has it: it checks, and does not tell what it checks. */
const mute = { "~standard": { version: 1 as const, vendor: "zod", validate: (value: unknown) => ({ value }) } };
const muteProblem =
  'The tool "weather" cannot be used. The parameters are a schema of zod that does not tell its JSON Schema: update the library (Zod: to 4.2 or newer), or pass a plain JSON Schema (Zod 4: z.toJSONSchema(schema)).';

test("a schema that does not tell its JSON Schema is refused in one sentence, which says what to do", async () => {
  const tool = { ...tools.TypeBox, parameters: mute } as unknown as ToolDefinition;
  await expect(call([], places.customTools(tool))).rejects.toThrow(muteProblem);
  const model = createScriptedModel({ script: [{ text: "Done." }] });
  const extension = places["registerTool of an extension"](tool);
  const { session, events } = await openSession(workspace, { model, session: "memory", ...extension });
  await session.prompt("Go");
  expect(events.flatMap((event) => (event.type === "extension_error" ? [event.error] : []))).toEqual([muteProblem]);
});

test("what has no JSON Schema is refused with the library's own reason", async () => {
  const tool = { ...tools.TypeBox, parameters: z.object({ when: z.date() }) } as unknown as ToolDefinition;
  await expect(call([], places.customTools(tool))).rejects.toThrow(/^The tool "weather" cannot be used\. .*Date/);
});
