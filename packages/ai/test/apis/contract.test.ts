import {
  anthropic,
  byteByByte,
  cut,
  keepOpen,
  openai,
  type ProviderResponse,
  type ProviderServer,
  startProviderServer,
  type Wire,
} from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AssistantMessageEventStream, type Context, type Model, type StreamOptions, stream } from "../../src/index.ts";
import { checkGrammar, collect, summarize } from "../helpers/events.ts";
import { testModel } from "../helpers/models.ts";

/** What every adapter must do, whatever its wire. A new adapter joins by a line here. */
const wires: { api: string; wire: Wire; unknownReason: string }[] = [
  { api: "anthropic-messages", wire: anthropic, unknownReason: "out_of_paper" },
  { api: "openai-completions", wire: openai, unknownReason: "out_of_paper" },
];

const hello: Context = { messages: [{ role: "user", content: "hello", timestamp: 1 }] };

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

describe.each(wires)("$api", ({ api, wire, unknownReason }) => {
  function ask(options: StreamOptions = {}, overrides: Partial<Model> = {}): AssistantMessageEventStream {
    return stream(testModel(api, server.url, overrides), hello, options);
  }

  test("AI-001 streams a text", async () => {
    server.respond(wire.text("Hello there, friend"));
    const events = checkGrammar(await collect(ask()));
    expect(events.filter((event) => event.type === "text_delta").map((event) => event.delta)).toEqual([
      "Hello",
      " there,",
      " friend",
    ]);
    expect(summarize(events)).toEqual([
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hello there, friend" },
      { type: "text_end", contentIndex: 0, content: "Hello there, friend" },
      { type: "done", reason: "stop" },
    ]);
  });

  test("streams thinking, then text", async () => {
    server.respond(wire.answer([{ thinking: ["Let me ", "see"] }, { text: "Done" }]));
    expect(summarize(checkGrammar(await collect(ask())))).toEqual([
      { type: "start" },
      { type: "thinking_start", contentIndex: 0 },
      { type: "thinking_delta", contentIndex: 0, delta: "Let me see" },
      { type: "thinking_end", contentIndex: 0, content: "Let me see" },
      { type: "text_start", contentIndex: 1 },
      { type: "text_delta", contentIndex: 1, delta: "Done" },
      { type: "text_end", contentIndex: 1, content: "Done" },
      { type: "done", reason: "stop" },
    ]);
  });

  test("streams a tool call after a text", async () => {
    server.respond(wire.answer([{ text: "Looking" }, { toolCall: "bash", arguments: { command: "ls -la" }, id: "call_a" }]));
    const answer = ask();
    expect(summarize(checkGrammar(await collect(answer)))).toEqual([
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Looking" },
      { type: "text_end", contentIndex: 0, content: "Looking" },
      { type: "toolcall_start", contentIndex: 1 },
      { type: "toolcall_delta", contentIndex: 1, delta: '{"command":"ls -la"}' },
      { type: "toolcall_end", contentIndex: 1, toolCall: { name: "bash", arguments: { command: "ls -la" } } },
      { type: "done", reason: "toolUse" },
    ]);
    expect((await answer.result()).content[1]).toEqual({
      type: "toolCall",
      id: "call_a",
      name: "bash",
      arguments: { command: "ls -la" },
    });
  });

  test("streams two parallel tool calls", async () => {
    server.respond(
      wire.answer([
        { toolCall: "read", arguments: { path: "a" } },
        { toolCall: "read", arguments: { path: "b", limit: 5 } },
      ]),
    );
    const answer = ask();
    expect(summarize(checkGrammar(await collect(answer)))).toEqual([
      { type: "start" },
      { type: "toolcall_start", contentIndex: 0 },
      { type: "toolcall_delta", contentIndex: 0, delta: '{"path":"a"}' },
      { type: "toolcall_end", contentIndex: 0, toolCall: { name: "read", arguments: { path: "a" } } },
      { type: "toolcall_start", contentIndex: 1 },
      { type: "toolcall_delta", contentIndex: 1, delta: '{"path":"b","limit":5}' },
      { type: "toolcall_end", contentIndex: 1, toolCall: { name: "read", arguments: { path: "b", limit: 5 } } },
      { type: "done", reason: "toolUse" },
    ]);
    const ids = (await answer.result()).content.map((block) => block.type === "toolCall" && block.id);
    expect(new Set(ids).size).toBe(2);
  });

  test("AI-010 a tool call without arguments has none, and one with broken arguments says so", async () => {
    server.respond(wire.answer([{ toolCall: "ls", deltas: [""] }]), wire.answer([{ toolCall: "ls", deltas: ['{"path": "sr'] }]));
    expect((await ask().result()).content).toMatchObject([{ name: "ls", arguments: {} }]);
    const [broken] = (await ask().result()).content;
    expect(broken).toMatchObject({ arguments: { path: "sr" }, argumentsError: expect.stringContaining("not valid JSON") });
  });

  test("AI-011 counts each token once and prices it", async () => {
    const usage = { input: 1000, output: 500, cacheRead: 2000, cacheWrite: 100 };
    server.respond(wire.text("ok", { usage }));
    const message = await ask().result();
    expect(message.usage).toEqual({
      ...usage,
      totalTokens: 3600,
      cost: { input: 0.001, output: 0.001, cacheRead: 0.001, cacheWrite: 0.0004, total: expect.closeTo(0.0034, 10) },
    });
  });

  test("AI-019 keeps the requested model id when the response names a snapshot", async () => {
    server.respond(wire.text("ok"));
    expect(await ask().result()).toMatchObject({ model: "test-model", provider: "test", api, stopReason: "stop" });
  });

  test("AI-004 a signal that is already aborted sends no request", async () => {
    const events = await collect(ask({ signal: AbortSignal.abort() }));
    expect(summarize(events)).toEqual([{ type: "error", reason: "aborted" }]);
    expect(server.requests).toEqual([]);
  });

  test("AI-005 abort before the response begins closes the connection", async () => {
    const { signal, abort } = new Controller();
    server.respond({ after: new Promise(() => {}) });
    const answer = ask({ signal });
    const request = await server.nextRequest();
    abort();
    expect(summarize(await collect(answer))).toEqual([{ type: "error", reason: "aborted" }]);
    await request.closed;
  });

  test("AI-005 abort mid-text keeps the text and the server sees the connection close", async () => {
    const { signal, abort } = new Controller();
    server.respond(wire.answer([{ text: "Hello" }], { ending: [keepOpen] }));
    const answer = ask({ signal });
    for await (const event of answer) {
      if (event.type === "text_delta") abort();
    }
    const message = await answer.result();
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "Hello" }] });
    expect(answer.failure?.code).toBe("aborted");
    await (await server.nextRequest()).closed;
  });

  test("AI-007 abort mid-arguments leaves no scratch fields behind", async () => {
    const { signal, abort } = new Controller();
    const gate = new Promise(() => {});
    const response = wire.answer([{ toolCall: "write", arguments: { path: "a.txt", content: "hello" }, id: "call_a" }]);
    const steps = response.steps ?? [];
    const firstHalf = steps.findIndex((step) => typeof step === "string" && step.includes('{\\"path\\"')) + 1;
    server.respond({ ...response, steps: [...steps.slice(0, firstHalf), gate] });
    const answer = ask({ signal });
    for await (const event of answer) {
      if (event.type === "toolcall_delta") abort();
    }
    const message = await answer.result();
    expect(message.stopReason).toBe("aborted");
    expect(message.content).toEqual([{ type: "toolCall", id: "call_a", name: "write", arguments: expect.any(Object) }]);
    expect(JSON.stringify(message.content)).toContain("a.txt");
    await (await server.nextRequest()).closed;
  });

  test("AI-005 leaves no listener on the signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = AbortSignal.prototype;
    const signal = Object.assign(controller.signal, {
      addEventListener: (...args: Parameters<typeof addEventListener>) => {
        listeners += 1;
        addEventListener.apply(controller.signal, args);
      },
      removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
        listeners -= 1;
        removeEventListener.apply(controller.signal, args);
      },
    });
    server.respond(wire.text("ok"));
    const answer = ask({ signal });
    await answer.result();
    await new Promise(setImmediate);
    expect(listeners).toBe(0);
  });

  test("AI-006 abort after the end changes nothing", async () => {
    const { signal, abort } = new Controller();
    server.respond(wire.text("ok"));
    const answer = ask({ signal });
    for await (const event of answer) if (event.type === "done") abort();
    expect((await answer.result()).stopReason).toBe("stop");
  });

  test("ER-014 a socket that is cut mid-text is a retryable network error and keeps the text", async () => {
    server.respond(wire.answer([{ text: "Hel" }], { ending: [cut] }));
    const answer = ask();
    const events = checkGrammar(await collect(answer));
    expect(events.at(-1)).toMatchObject({ type: "error", reason: "error", error: { content: [{ text: "Hel" }] } });
    expect(answer.failure).toMatchObject({ code: "network", retryable: true, message: expect.stringContaining("test") });
  });

  test("a stream that ends too early is a retryable error, not a short success", async () => {
    server.respond(wire.answer([{ text: "Hel" }], { ending: [] }));
    const answer = ask();
    expect(await answer.result()).toMatchObject({ stopReason: "error", content: [{ text: "Hel" }] });
    expect(answer.failure).toMatchObject({ code: "bad_response", retryable: true });
  });

  test("ER-025 a server that is not there is a network error that says why", async () => {
    const { url } = server;
    await server.close();
    const answer = stream(testModel(api, url), hello);
    const { errorMessage } = await answer.result();
    expect(errorMessage).toContain("ECONNREFUSED");
    expect(answer.failure).toMatchObject({ code: "network", retryable: true });
  });

  test("a server that closes the socket without an answer is a network error", async () => {
    server.respond({ refuse: true });
    const answer = ask();
    await answer.result();
    expect(answer.failure).toMatchObject({ code: "network", retryable: true });
  });

  test("firstByteTimeoutMs ends a wait for a silent server", async () => {
    server.respond({ after: new Promise(() => {}) });
    const answer = ask({ firstByteTimeoutMs: 20 });
    expect((await answer.result()).errorMessage).toBe("No answer from test: nothing arrived within 20 ms");
    expect(answer.failure?.code).toBe("network");
    await (await server.nextRequest()).closed;
  });

  test.each([
    { status: 400, code: "invalid_request", retryable: false },
    { status: 401, code: "auth", retryable: false },
    { status: 403, code: "auth", retryable: false },
    { status: 404, code: "invalid_request", retryable: false },
    { status: 500, code: "overloaded", retryable: true },
    { status: 529, code: "overloaded", retryable: true },
  ])("AI-034 status $status is $code and carries the provider's words", async ({ status, code, retryable }) => {
    server.respond(wire.error(status, "No luck today"));
    const answer = ask();
    const events = await collect(answer);
    expect(summarize(events)).toEqual([{ type: "error", reason: "error" }]);
    expect(answer.failure).toMatchObject({ code, retryable, status });
    expect((await answer.result()).errorMessage).toMatch(new RegExp(`^${status} from test: No luck today`));
    expect(server.requests).toHaveLength(1);
  });

  test("ER-018 status 429 tells how long to wait", async () => {
    server.respond(wire.error(429, "Slow down", { headers: { "retry-after": "7" } }));
    const answer = ask();
    await answer.result();
    expect(answer.failure).toMatchObject({ code: "rate_limit", retryable: true, status: 429, retryAfterMs: 7000 });
  });

  test("AI-034 a proxy's error page is trimmed to its title", async () => {
    const page = `<!doctype html><html><head><title>502 Bad Gateway</title></head><body>${"x".repeat(9000)}</body></html>`;
    server.respond({ status: 502, headers: { "content-type": "text/html" }, body: page });
    expect((await ask().result()).errorMessage).toBe("502 from test: 502 Bad Gateway");
  });

  test("AI-034 a success that is JSON instead of a stream is an error quoting it", async () => {
    server.respond({ body: { error: { message: "wrong path" } } });
    const answer = ask();
    expect((await answer.result()).errorMessage).toBe("test answered 200 with application/json instead of a stream: wrong path");
    expect(answer.failure).toMatchObject({ code: "bad_response", retryable: false });
  });

  test("an event that is no JSON is an error quoting it", async () => {
    server.respond({ headers: { "content-type": "text/event-stream" }, steps: ["data: {oops\n\n"] });
    const answer = ask();
    expect((await answer.result()).errorMessage).toBe("test sent an event that is no JSON: {oops");
    expect(answer.failure?.code).toBe("bad_response");
  });

  test("AI-014 an unknown stop reason is an error that names it", async () => {
    server.respond(wire.text("ok", { stopReason: unknownReason }));
    const answer = ask();
    expect(await answer.result()).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining("out_of_paper"),
      content: [{ type: "text", text: "ok" }],
    });
    expect(answer.failure?.code).toBe("bad_response");
  });

  test("AI-033 the same events come out when every byte arrives alone", async () => {
    const response = wire.answer([
      { thinking: "né" },
      { text: ["Grüße 👋🏽", " – 你好"] },
      { toolCall: "ls", arguments: { path: "ä" } },
    ]);
    server.respond(response, byteByByte(response));
    const whole = await collect(ask());
    const bytes = checkGrammar(await collect(ask()));
    expect(summarize(bytes)).toEqual(summarize(whole));
  });

  test("AI-029 sends no credential where there is no key, and exactly one where there is", async () => {
    server.respond(wire.text("a"), wire.text("b"), wire.text("c"));
    await ask().result();
    await ask({ apiKey: "secret" }).result();
    await ask(
      { apiKey: "secret", headers: { AUTHORIZATION: "Bearer mine" } },
      { headers: { authorization: "Bearer model" } },
    ).result();
    const credentials = server.requests.map(({ headers }) => [headers.authorization, headers["x-api-key"]].filter(Boolean));
    const own = api === "anthropic-messages" ? "secret" : "Bearer secret";
    expect(credentials).toEqual([[], [own], ["Bearer mine"]]);
  });

  test("ER-024 a message that repeats the key, whatever it looks like, is shown without it", async () => {
    server.respond(wire.error(401, "no such key: 0123abcdef"), wire.error(401, "no such key: 4567abcdef"));
    expect((await ask({ apiKey: "0123abcdef" }).result()).errorMessage).toContain("no such key: <key>");
    expect((await ask({ headers: { Authorization: "Bearer 4567abcdef" } }).result()).errorMessage).toContain("no such key: <key>");
  });

  test("AI-029 headers of the call win over the model's, whatever their case", async () => {
    server.respond(wire.text("ok"));
    await ask({ headers: { "X-Team": "call" } }, { headers: { "x-team": "model", "x-other": "model" } }).result();
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "call", "x-other": "model" });
  });

  test("AI-030 takes a base URL with and without slash and version segment", async () => {
    for (const suffix of ["", "/", "/v1", "/v1/"]) {
      server.respond(wire.text("ok"));
      await stream(testModel(api, server.url + suffix), hello).result();
    }
    const path = api === "anthropic-messages" ? "/v1/messages" : "/v1/chat/completions";
    expect(server.requests.map((request) => request.path)).toEqual([path, path, path, path]);
  });

  test("AI-037 onPayload sees the body and may replace it", async () => {
    server.respond(wire.text("a"), wire.text("b"));
    const seen: unknown[] = [];
    await ask({ onPayload: (payload) => void seen.push(payload) }).result();
    await ask({ onPayload: () => ({ model: "other" }) }).result();
    expect(server.requests[0]?.body).toEqual(seen[0]);
    expect(server.requests[1]?.body).toEqual({ model: "other" });
  });

  test("AI-003 a throwing payload hook is an error event and sends nothing", async () => {
    const onPayload = () => {
      throw new Error("hook is broken");
    };
    const answer = ask({ onPayload });
    expect((await answer.result()).errorMessage).toBe("hook is broken");
    expect(answer.failure?.retryable).toBe(false);
    expect(server.requests).toEqual([]);
  });

  test("AI-008 20,000 deltas are streamed in well under 2 s", async () => {
    server.respond(wholeAtOnce(wire.answer([{ text: Array.from({ length: 20_000 }, () => "word ") }])));
    const start = performance.now();
    const events = await collect(ask());
    expect(performance.now() - start).toBeLessThan(2000);
    expect(events.filter((event) => event.type === "text_delta")).toHaveLength(20_000);
  });

  test("AI-008 1 MB of tool arguments in deltas of 1 KB is streamed in well under 2 s", async () => {
    const text = JSON.stringify({ path: "a.txt", content: "0123456789\n".repeat(95_000) });
    const deltas = Array.from({ length: Math.ceil(text.length / 1024) }, (_, i) => text.slice(i * 1024, (i + 1) * 1024));
    server.respond(wholeAtOnce(wire.answer([{ toolCall: "write", deltas }])));
    const start = performance.now();
    const { content } = await ask().result();
    expect(performance.now() - start).toBeLessThan(2000);
    expect(content).toMatchObject([{ name: "write", arguments: JSON.parse(text) }]);
  });

  test("AI-016 the same call sends the same bytes twice", async () => {
    server.respond(wire.text("a"), wire.text("b"));
    await ask().result();
    await ask().result();
    expect(JSON.stringify(server.requests[0]?.body)).toBe(JSON.stringify(server.requests[1]?.body));
  });
});

/** All steps as one write: the server's own turns of the event loop are not what a test of ours measures. */
function wholeAtOnce(response: ProviderResponse): ProviderResponse {
  return { ...response, steps: [(response.steps ?? []).filter((step) => typeof step === "string").join("")] };
}

class Controller extends AbortController {
  override readonly abort = () => super.abort();
}
