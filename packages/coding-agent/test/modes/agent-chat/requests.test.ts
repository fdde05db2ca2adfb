import { describe, expect, test } from "vitest";
import { BadRequestError, readParams } from "../../../src/modes/agent-chat/read-params.ts";
import { createGate, throughGate } from "../../helpers/gate.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { type ChatClient, connectChat, playChat } from "./chat-client.ts";

const workspace = useWorkspace();

const image = { media_type: "image/png", data_base64: "iVBORw0KGgo=" };
const key = "sk-5ecret";

describe("the parameters of a request", () => {
  test("unknown fields are left out and nulls count as absent, as deep as it goes", () => {
    const params = {
      message: "Hi",
      session_key: null,
      images: [{ ...image, alt: "x" }],
      context: { append: null, other: 1 },
      config: { model: "m", api_base: null, max_iterations: 3, temperature: 0.5 },
      stream: true,
    };
    expect(readParams("agent_chat", params)).toEqual({
      message: "Hi",
      images: [image],
      context: {},
      config: { model: "m", max_iterations: 3 },
    });
    expect(readParams("ping", undefined)).toEqual({});
    expect(readParams("clarify", { action: "stop", hint: null })).toEqual({ action: "stop" });
  });

  test("SC-011 what objects inherit is no field", () => {
    const params = JSON.parse('{"message":"Hi","__proto__":{"session_key":"x"},"constructor":{"config":1}}') as object;
    expect(readParams("agent_chat", params)).toEqual({ message: "Hi" });
    expect(() => readParams("agent_chat", Object.create({ message: "inherited" }))).toThrow('"params.message"');
  });

  test.each([
    [undefined, 'Field "params.message" must be a string, but is missing.'],
    [null, 'Field "params.message" must be a string, but is missing.'],
    ["Hi", 'Field "params" must be an object, but is something else.'],
    [["Hi"], 'Field "params" must be an object, but is something else.'],
    [{}, 'Field "params.message" must be a string, but is missing.'],
    [{ message: null }, 'Field "params.message" must be a string, but is null.'],
    [{ message: 5 }, 'Field "params.message" must be a string, but is 5.'],
    [
      { message: "", session_key: "k".repeat(257) },
      `Field "params.session_key" must be a string of at most 256 characters, but is "${"k".repeat(80)}"….`,
    ],
    [{ message: "", session_key: 7 }, 'Field "params.session_key" must be a string of at most 256 characters, but is 7.'],
    [
      { message: "", images: Array(7).fill(image) },
      'Field "params.images" must be an array of at most 6 items, but is an array of 7.',
    ],
    [
      { message: "", images: [{ ...image, media_type: "image/tiff" }] },
      'Field "params.images.0.media_type" must be "image/png" or "image/jpeg" or "image/gif" or "image/webp", but is "image/tiff".',
    ],
    [
      { message: "", images: [image, { ...image, data_base64: "data:;x" }] },
      'Field "params.images.1.data_base64" must be base64 text, but is "data:;x".',
    ],
    [
      { message: "", images: [image, { ...image, data_base64: "bm90IGFuIGltYWdl" }] },
      'Field "params.images.1.data_base64" must be an image in base64, but its data is not a PNG, JPEG, GIF or WebP image.',
    ],
    [{ message: "", context: "x" }, 'Field "params.context" must be an object, but is "x".'],
    [{ message: "", context: { append: [[[]]] } }, 'Field "params.context.append" must be a string, but is an array of 1.'],
    [{ message: "", skill_dirs: "x" }, 'Field "params.skill_dirs" must be an array, but is "x".'],
    [{ message: "", skill_dirs: [1] }, 'Field "params.skill_dirs.0" must be a string that is not empty, but is 1.'],
    [{ message: "", config: [key] }, 'Field "params.config" must be an object, but is something else.'],
    [{ message: "", config: { model: "" } }, 'Field "params.config.model" must be a string that is not empty, but is "".'],
    [
      { message: "", config: { model: "m", api_base: "file:///x" } },
      'Field "params.config.api_base" must be an http or https URL, but is "file:///x".',
    ],
    [
      { message: "", config: { api_key: [key] } },
      'Field "params.config.api_key" must be a string that is not empty, but is something else.',
    ],
    [
      { message: "", config: { workspace: {} } },
      'Field "params.config.workspace" must be a string that is not empty, but is an object.',
    ],
    [
      { message: "", config: { max_iterations: 0 } },
      'Field "params.config.max_iterations" must be an integer of at least 1, but is 0.',
    ],
    [
      { message: "", config: { max_tool_calls_per_task: 1.5 } },
      'Field "params.config.max_tool_calls_per_task" must be an integer of at least 1, but is 1.5.',
    ],
    [
      { message: "", config: { max_consecutive_failures: "5" } },
      'Field "params.config.max_consecutive_failures" must be an integer of at least 1, but is "5".',
    ],
    [
      { message: "", config: { enable_task_planning: "yes" } },
      'Field "params.config.enable_task_planning" must be a boolean, but is "yes".',
    ],
  ])("agent_chat %j is refused: %s", (params, message) => {
    expect(() => readParams("agent_chat", params)).toThrow(new BadRequestError(message));
    expect(message).not.toContain(key);
  });

  test("a refused chat is one error that ends no chat, and the next one is answered", async () => {
    const client = playChat(workspace, [{ text: "Hello" }]);
    expect(await client.chat({ message: 5 as never })).toEqual([
      {
        event: "error",
        data: { message: 'Field "params.message" must be a string, but is 5.', code: "bad_request", ends_chat: false },
      },
    ]);
    expect((await client.chat({ message: "Hi" })).at(-1)).toMatchObject({ event: "done", data: { response: "Hello" } });
  });

  test.each([
    [{ message: "  " }, /^The message is empty/],
    [{ message: "Hi", config: { model: "no/such-model" } }, /^Model not found: no\/such-model\. Nearest: /],
    [{ message: "Hi", config: { model: "script/gone.jsonl" } }, /^Cannot read the script .*gone\.jsonl/],
    [{ message: "Hi", config: { api_base: "http://127.0.0.1:1" } }, /^Field "params\.config\.model" must be given with "api_base"/],
    [{ message: "Hi", config: { workspace: "gone" } }, /^Field "params\.config\.workspace" must name a folder, .*\/work\/gone\.$/],
    [{ message: "Hi", config: { workspace: "nul\0byte" } }, /^Field "params\.config\.workspace" must name a folder/],
    [{ message: "Hi", config: { model: "anthropic/claude-sonnet-4-5" } }, /^No API key for anthropic/],
  ])("%j cannot be done: bad_request", async (params, message) => {
    const client = playChat(workspace, [{ text: "Hello" }]);
    const told = await client.chat(params);
    expect(told).toEqual([
      { event: "error", data: { message: expect.stringMatching(message) as string, code: "bad_request", ends_chat: false } },
    ]);
  });

  test("without a model the error says how to choose one", async () => {
    const client = connectChat(workspace);
    const told = await client.chat({ message: "Hi" });
    expect(told).toMatchObject([{ event: "error", data: { code: "bad_request", message: expect.stringContaining("No model") } }]);
  });

  test("a faulty settings file is named", async () => {
    await workspace.write("agent/settings.json", "{oops");
    const client = playChat(workspace, [{ text: "Hello" }]);
    expect(await client.chat({ message: "Hi" })).toMatchObject([
      { event: "error", data: { message: expect.stringContaining("settings.json is not valid JSON"), ends_chat: false } },
    ]);
  });
});

describe("lines that are no requests", () => {
  const messagesOf = (client: ChatClient) => client.all("error").map(({ code, message }) => [code, message]);

  test.each(["{oops", "nonsense", `{"method":"agent_chat","params":{"config":{"api_key":"${key}`, "[]", "null", '"ping"', "5"])(
    "%s is a parse error, which quotes nothing",
    async (line) => {
      const client = playChat(workspace, []);
      client.sendText(line);
      client.send("ping");
      await client.waitFor("pong");
      expect(client.events).toEqual([
        {
          event: "error",
          data: {
            message: expect.stringMatching(
              /^A line cannot be read: it is (not valid JSON|not a JSON object)\. Send one JSON object per line\.$/,
            ) as string,
            code: "parse",
            ends_chat: false,
          },
        },
        { event: "pong", data: {} },
      ]);
    },
  );

  test.each([["agent-chat"], ["constructor"], ["__proto__"], [""], [5], [null], [["ping"]]])(
    "the method %j is unknown",
    async (method) => {
      const client = playChat(workspace, []);
      client.sendText(JSON.stringify({ method }));
      await client.waitFor("error");
      expect(messagesOf(client)).toEqual([["bad_request", 'Field "method" must be one of agent_chat, confirm, clarify, ping.']]);
    },
  );

  test("a line without a method is told the same", async () => {
    const client = playChat(workspace, []);
    client.sendText("{}");
    await client.waitFor("error");
    expect(messagesOf(client)).toEqual([["bad_request", expect.stringContaining('"method"')]]);
  });

  test("late and early answers are passed over, also mistyped ones", async () => {
    const client = playChat(workspace, []);
    client.send("confirm", { approved: true });
    client.send("confirm", { approved: "yes" });
    client.send("clarify", { action: "fly" });
    client.send("clarify");
    client.send("ping");
    await client.waitFor("pong");
    expect(client.events).toEqual([{ event: "pong", data: {} }]);
  });
});

describe("while a chat is going", () => {
  test("a ping is answered and a second chat is busy; after it another one is taken", async () => {
    const gate = createGate();
    const client = playChat(workspace, [throughGate, { text: "First." }, { text: "Second." }], { customTools: [gate.tool] });
    client.send("agent_chat", { message: "One" });
    client.send("agent_chat", { message: "at once" });
    await gate.reached;
    client.send("ping");
    client.send("agent_chat", { message: "meanwhile" });
    client.send("agent_chat", { message: 7 });
    await client.waitFor("pong");
    gate.open();
    await client.waitForEnd();
    expect(client.all("error")).toEqual(
      Array(3).fill({ code: "busy", message: expect.stringMatching(/^Another chat is running/), ends_chat: false }),
    );
    expect(client.all("done")).toMatchObject([{ response: "First." }]);
    await client.chat({ message: "Two" });
    expect(client.all("done")).toMatchObject([{ response: "First." }, { response: "Second." }]);
  });
});
