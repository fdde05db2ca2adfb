import { describe, expect, test } from "vitest";
import { commands } from "../../src/protocol/commands.ts";
import { type CommandName, commandAliases, commandDispatch, findCommand } from "../../src/protocol/dispatch.ts";
import { readFields } from "../../src/protocol/validate.ts";

describe("finding a command", () => {
  test("by its name and by its alias", () => {
    for (const name of Object.keys(commands)) expect(findCommand(name)).toBe(name);
    for (const [alias, name] of Object.entries(commandAliases)) expect(findCommand(alias)).toBe(name);
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "", "Prompt", "prompt "])("RP-004 %j is unknown", (name) => {
    expect(findCommand(name)).toBeUndefined();
  });
});

test.each(Object.keys(commands) as CommandName[])("dispatch knows whether %s has parameters", (name) => {
  const { properties } = commands[name].params;
  expect(commandDispatch[name].hasParams).toBe(Object.keys(properties).length > 0);
});

describe("RP-004 reading the fields of a command", () => {
  const attachment = { id: "a", type: "image", fileName: "a.png", mimeType: "image/png", size: 1, content: "AA==" };
  const { prompt, set_model, bash, new_session, get_state } = commands;

  test.each([
    [prompt, {}, 'Field "message" must be a string, but is missing'],
    [prompt, { message: null }, 'Field "message" must be a string, but is null'],
    [prompt, { message: ["hi"] }, 'Field "message" must be a string, but is ["hi"]'],
    [prompt, { message: "hi", attachments: {} }, 'Field "attachments" must be an array, but is {}'],
    [prompt, { message: "hi", attachments: [1] }, 'Field "attachments.0" must be an object, but is 1'],
    [
      prompt,
      { message: "hi", attachments: [attachment, { ...attachment, type: "film" }] },
      'Field "attachments.1.type" must be "image" or "document", but is "film"',
    ],
    [
      prompt,
      { message: "hi", images: [{ type: "image", mimeType: "image/png" }] },
      'Field "images.0.data" must be a string, but is missing',
    ],
    [prompt, { message: "hi", streamingBehavior: "now" }, 'Field "streamingBehavior" must be "steer" or "followUp", but is "now"'],
    [set_model, { provider: "demo" }, 'Field "modelId" must be a string, but is missing'],
    [bash, { command: "ls", excludeFromContext: "yes" }, 'Field "excludeFromContext" must be a boolean, but is "yes"'],
    [new_session, { parentSession: 5 }, 'Field "parentSession" must be a string, but is 5'],
  ])("%#: %j is refused, naming the field, what was expected and what came", async ({ params }, record, message) => {
    await expect(readFields(params, record)).rejects.toThrow(new Error(message));
  });

  test("a long value is quoted in part", async () => {
    const error = await readFields(prompt.params, { message: ["x".repeat(10_000)] }).catch((reason: Error) => reason);
    expect((error as Error).message.length).toBeLessThan(200);
  });

  test("null is absent for an optional field, unknown fields are left out, inherited ones do not count", async () => {
    const record = Object.assign(Object.create({ message: "inherited" }), { attachments: null, other: 1 });
    await expect(readFields(prompt.params, record)).rejects.toThrow('"message"');
    expect(await readFields(prompt.params, { message: "hi", images: null, other: 1, id: 7, type: "prompt" })).toEqual({
      message: "hi",
    });
    expect(await readFields(get_state.params, { anything: 1 })).toEqual({});
  });

  test("nulls inside an attachment are accepted, as the second protocol prints them", async () => {
    const record = { message: "hi", attachments: [{ ...attachment, extractedText: null, preview: null }] };
    expect(await readFields(prompt.params, record)).toEqual(record);
  });
});
