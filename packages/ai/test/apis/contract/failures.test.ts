import { cut, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StreamOptions } from "../../../src/index.ts";
import { askWire, outcomeOf, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

describe.each(wires)("$api", (wireCase) => {
  const { wire, overflow, errorEvent } = wireCase;
  const ask = (options: StreamOptions = {}) => askWire(wireCase, server, options);

  /** An answer that began with a text and then failed. */
  const brokenText = {
    steps: [
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hel" },
      { type: "error", reason: "error" },
    ],
    content: [{ text: "Hel" }],
    stopReason: "error",
  };
  /** The same with a text that was complete. */
  const failedAfterText = { ...brokenText, steps: expect.arrayContaining([{ type: "error", reason: "error" }]) };
  const failedAtOnce = { steps: [{ type: "error", reason: "error" }], content: [], stopReason: "error" };

  /** A response that stops right behind the piece of text that it began with. */
  function beginsWith(text: string, ending: unknown[] = []) {
    const { steps = [], ...response } = wire.answer([{ text: [text, "lo"] }]);
    const firstDelta = steps.findIndex((step) => typeof step === "string" && step.includes(`"${text}"`)) + 1;
    return { ...response, steps: [...steps.slice(0, firstDelta), ...(ending as [])] };
  }

  test("ER-014 a socket that is cut mid-text is a retryable network error and keeps the text", async () => {
    server.respond(beginsWith("Hel", [cut]));
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...brokenText, code: "network", retryable: true });
    expect(answer.failure?.message).toContain("test");
  });

  test("AN-013 OC-003 OR-013 GG-012 a stream that ends too early is a retryable error, not a short success", async () => {
    server.respond(beginsWith("Hel"));
    expect(await outcomeOf(ask())).toEqual({ ...brokenText, code: "bad_response", retryable: true });
  });

  const marker = "data: [DONE]\n\n";

  test("AN-013 OC-003 OR-013 GG-012 a stream that says [DONE] is an answer, also when the wire's own ending is missing", async () => {
    server.respond(beginsWith("Hel", [marker]));
    expect(await outcomeOf(ask())).toMatchObject({ stopReason: "stop", content: [{ text: "Hel" }] });
  });

  test("OC-003 such an answer with a tool call is to be run", async () => {
    server.respond(wire.answer([{ toolCall: "ls", arguments: { path: "a" } }], { ending: [marker] }));
    expect(await outcomeOf(ask())).toMatchObject({ stopReason: "toolUse", content: [{ name: "ls", arguments: { path: "a" } }] });
  });

  test("OC-003 nothing but [DONE] is no answer", async () => {
    server.respond({ headers: { "content-type": "text/event-stream" }, steps: [marker] });
    expect(await outcomeOf(ask())).toEqual({ ...failedAtOnce, code: "bad_response", retryable: true });
  });

  test("ER-026 a stream that dies after a complete tool call is an error", async () => {
    server.respond(wire.answer([{ toolCall: "ls", arguments: { path: "a" } }], { ending: [] }));
    expect(await outcomeOf(ask())).toMatchObject({
      stopReason: "error",
      content: [{ name: "ls", arguments: { path: "a" } }],
      code: "bad_response",
      retryable: true,
    });
  });

  test("ER-025 a server that is not there is a network error that says why", async () => {
    await server.close();
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "network", retryable: true });
    expect((await answer.result()).errorMessage).toContain("ECONNREFUSED");
  });

  test("ER-014 a server that closes the socket without an answer is a network error", async () => {
    server.respond({ refuse: true });
    expect(await outcomeOf(ask())).toEqual({ ...failedAtOnce, code: "network", retryable: true });
  });

  test("AI-031 firstByteTimeoutMs ends a wait for a silent server", async () => {
    server.respond({ after: new Promise(() => {}) });
    const clock = holdClock();
    const answer = ask({ firstByteTimeoutMs: 60_000 });
    const { closed } = await server.nextRequest();
    clock.pass(60_000);
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "network", retryable: true });
    expect((await answer.result()).errorMessage).toBe("No answer from test: nothing arrived within 60000 ms");
    await closed;
  });

  test.each([
    { status: 400, code: "invalid_request", retryable: false },
    { status: 401, code: "auth", retryable: false },
    { status: 403, code: "auth", retryable: false },
    { status: 404, code: "invalid_request", retryable: false },
    { status: 500, code: "overloaded", retryable: true },
    { status: 503, code: "overloaded", retryable: true },
    { status: 529, code: "overloaded", retryable: true },
  ])("AI-034 ER-013 ER-015 status $status is $code and carries the provider's words", async ({ status, code, retryable }) => {
    server.respond(wire.error(status, "No luck today"));
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code, retryable });
    expect(answer.failure?.status).toBe(status);
    expect((await answer.result()).errorMessage).toMatch(new RegExp(`^${status} from test: No luck today`));
    expect(server.requests).toHaveLength(1);
  });

  test("ER-018 status 429 tells how long to wait", async () => {
    server.respond(wire.error(429, "Slow down", { headers: { "retry-after": "7" } }));
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "rate_limit", retryable: true });
    expect(answer.failure).toMatchObject({ status: 429, retryAfterMs: 7000 });
  });

  test("ER-001 ER-002 ER-003 a conversation that is too long is an overflow, which no retry cures", async () => {
    server.respond(wire.error(overflow.status, overflow.message));
    expect(await outcomeOf(ask())).toEqual({ ...failedAtOnce, code: "context_overflow", retryable: false });
  });

  test.each([
    { kind: "overloaded", code: "overloaded", retryable: true },
    { kind: "rate_limit", code: "rate_limit", retryable: true },
    { kind: "overflow", code: "context_overflow", retryable: false },
  ] as const)("AN-014 OC-005 OR-012 an error inside a stream that began well: $kind", async ({ kind, code, retryable }) => {
    const [event] = wire.events([errorEvent(kind)]).steps ?? [];
    server.respond(beginsWith("Hel", [event]));
    expect(await outcomeOf(ask())).toEqual({ ...brokenText, code, retryable });
  });

  test("AI-034 a proxy's error page is trimmed to its title", async () => {
    const page = `<!doctype html><html><head><title>502 Bad Gateway</title></head><body>${"x".repeat(9000)}</body></html>`;
    server.respond({ status: 502, headers: { "content-type": "text/html" }, body: page });
    expect((await ask().result()).errorMessage).toBe("502 from test: 502 Bad Gateway");
  });

  test("AI-034 a success that is JSON instead of a stream is an error quoting it", async () => {
    server.respond({ body: { error: { message: "wrong path" } } });
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "bad_response", retryable: false });
    expect(answer.failure?.message).toBe("test answered 200 with application/json instead of a stream: wrong path");
  });

  test("AI-003 an event that is not JSON is an error quoting it", async () => {
    server.respond({ headers: { "content-type": "text/event-stream" }, steps: ["data: {oops\n\n"] });
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "bad_response", retryable: true });
    expect((await answer.result()).errorMessage).toBe("test sent an event that is not JSON: {oops");
  });

  test("AI-014 an unknown stop reason is an error that names it", async () => {
    server.respond(wire.text("Hel", { stopReason: "out_of_paper" }));
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({ ...failedAfterText, code: "bad_response", retryable: false });
    expect((await answer.result()).errorMessage).toContain("out_of_paper");
  });

  test("AI-003 a throwing payload hook is an error event and sends nothing", async () => {
    const onPayload = () => {
      throw new Error("hook is broken");
    };
    const answer = ask({ onPayload });
    expect(await outcomeOf(answer)).toEqual({ ...failedAtOnce, code: "invalid_request", retryable: false });
    expect((await answer.result()).errorMessage).toBe("hook is broken");
    expect(server.requests).toEqual([]);
  });

  test("ER-024 a message that repeats the key, whatever it looks like, is shown without it", async () => {
    server.respond(wire.error(401, "no such key: 0123abcdef"), wire.error(401, "no such key: 4567abcdef"));
    expect((await ask({ apiKey: "0123abcdef" }).result()).errorMessage).toContain("no such key: <key>");
    expect((await ask({ headers: { Authorization: "Bearer 4567abcdef" } }).result()).errorMessage).toContain("no such key: <key>");
  });
});
