import { anthropic, cut, keepOpen, openai, type ProviderServer } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { nextEvent, openSession } from "../helpers/sessions.ts";
import { abortedTurn, story } from "../helpers/story.ts";
import { rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const overloaded = anthropic.error(529, "Overloaded", { type: "overloaded_error" });
const failed = "assistant:  [error]";
const endless = { baseDelayMs: 60_000 };
const quick = { baseDelayMs: 1 };

async function openServed(options: CreateAgentSessionOptions = {}) {
  const server = await serveModels(workspace);
  const opened = await openSession(workspace, { model: "local-anthropic/claude", retry: quick, ...options });
  return { server, ...opened };
}

/** The roles of the messages in each request. */
function requestedRoles(server: ProviderServer): string[][] {
  return server.requests.map(({ body }) => (body as { messages: { role: string }[] }).messages.map(({ role }) => role));
}

const isRetryStart = ({ type }: AgentSessionEvent) => type === "auto_retry_start";

describe("a failure that passes", () => {
  test.each([
    ["local-anthropic/claude", anthropic],
    ["local-openai/gpt", openai],
  ] as const)("ER-019 ER-020 %s: is asked again inside one pair, with the same request", async (model, wire) => {
    const { server, session, events } = await openServed({ model });
    server.respond(wire.error(529, "busy"), wire.text("Hello"));
    await session.prompt("Hi");
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Hi", failed, "turn_end", "retry 1 of 3"],
      ...["turn_start", "assistant: Hello", "retry over at 1: success", "turn_end"],
      ...["agent_end", "agent_settled"],
    ]);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
    expect(events.find(isRetryStart)).toEqual({
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 1,
      errorMessage: expect.stringContaining("busy"),
    });
  });

  test("ER-020 the failed answer is in the file and in agent_end, and in no later request", async () => {
    const { server, session, events } = await openServed();
    server.respond(overloaded, anthropic.text("Hello"), anthropic.text("Again"));
    await session.prompt("Hi");
    await session.prompt("More");
    const lines = await workspace.sessionLines();
    expect(rolesIn(lines)).toEqual(["user", "assistant", "assistant", "user", "assistant"]);
    expect(lines.find(({ message }) => message?.role === "assistant")?.message).toMatchObject({ stopReason: "error", content: [] });
    const end = events.find(({ type }) => type === "agent_end");
    expect(end).toMatchObject({ willRetry: false, messages: [{ role: "user" }, { stopReason: "error" }, { stopReason: "stop" }] });
    expect(requestedRoles(server)).toEqual([["user"], ["user"], ["user", "assistant", "user"]]);
    expect(JSON.stringify(server.requests[2]?.body)).not.toContain("Overloaded");
  });

  test("ER-020 what had arrived of an answer that broke off is stored, and not sent back", async () => {
    const { server, session } = await openServed();
    server.respond(anthropic.answer([{ text: "Half" }], { ending: [cut] }), anthropic.text("Whole"));
    await session.prompt("Hi");
    expect(session.lastAssistantText()).toBe("Whole");
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
    expect(JSON.stringify(await workspace.sessionLines())).toContain("Half");
  });

  test("ER-026 calls of an answer that broke off are not run", async () => {
    const { server, session, events } = await openServed();
    server.respond(anthropic.toolCall("bash", { command: "touch ran" }, { ending: [cut] }), anthropic.text("Whole"));
    await session.prompt("Hi");
    expect(events.filter(({ type }) => type.startsWith("tool_"))).toEqual([]);
    expect(requestedRoles(server)).toEqual([["user"], ["user"]]);
  });

  test("a server that is not there is tried four times", async () => {
    const { server, session, events } = await openServed();
    await server.close();
    await session.prompt("Hi");
    expect(story(events).filter((line) => line.startsWith("retry"))).toEqual([
      ...["retry 1 of 3", "retry 2 of 3", "retry 3 of 3", expect.stringMatching(/^retry over at 3: No answer from /)],
    ]);
  });

  test("ER-019 three retries, four requests and no more: one layer retries; then the last error stands", async () => {
    const { server, session, events } = await openServed();
    server.respond(...Array.from({ length: 8 }, (_, index) => anthropic.error(503, `failure ${index}`)));
    await session.prompt("Hi");
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Hi", failed, "turn_end", "retry 1 of 3"],
      ...["turn_start", failed, "turn_end", "retry 2 of 3", "turn_start", failed, "turn_end", "retry 3 of 3"],
      ...["turn_start", failed, "turn_end", expect.stringMatching(/^retry over at 3: .*failure 3/), "agent_end", "agent_settled"],
    ]);
    expect(server.requests).toHaveLength(4);
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("failure 3") });
  });

  test("ER-022 after a turn with tools the attempts are counted anew, and prompt() settles after all of it", async () => {
    const { server, session, events } = await openServed();
    const call = anthropic.toolCall("bash", { command: "echo hi" });
    server.respond(overloaded, overloaded, call, overloaded, overloaded, anthropic.text("Done"));
    await session.prompt("Work");
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Work", failed, "turn_end", "retry 1 of 3"],
      ...["turn_start", failed, "turn_end", "retry 2 of 3"],
      ...["turn_start", "assistant: (toolCall)", "retry over at 2: success", "toolResult: hi", "turn_end"],
      ...["turn_start", failed, "turn_end", "retry 1 of 3", "turn_start", failed, "turn_end", "retry 2 of 3"],
      ...["turn_start", "assistant: Done", "retry over at 2: success", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(requestedRoles(server).slice(-2)).toEqual([
      ["user", "assistant", "user"],
      ["user", "assistant", "user"],
    ]);
    expect(session.isStreaming).toBe(false);
  });

  test("the next prompt counts anew", async () => {
    const { server, session, events } = await openServed({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    server.respond(overloaded, overloaded, overloaded, anthropic.text("Hello"));
    await session.prompt("One");
    await session.prompt("Two");
    expect(story(events).filter((line) => line.startsWith("retry"))).toEqual([
      ...["retry 1 of 1", expect.stringMatching(/^retry over at 1: .*Overloaded/)],
      ...["retry 1 of 1", "retry over at 1: success"],
    ]);
  });

  test("what is queued during the wait goes in after the answer that comes at last", async () => {
    const { server, session, events } = await openServed();
    server.respond(overloaded, anthropic.text("Hello"), anthropic.text("Right"));
    const end = session.subscribe(({ type }) => {
      if (type === "auto_retry_start") session.queue("steer", { text: "and right" });
    });
    await session.prompt("Hi");
    end();
    expect(story(events).slice(5)).toEqual([
      ...[
        "retry 1 of 3",
        "queue: and right | ",
        "turn_start",
        "assistant: Hello",
        "retry over at 1: success",
        "turn_end",
        "queue:  | ",
      ],
      ...["turn_start", "user: and right", "assistant: Right", "turn_end", "agent_end", "agent_settled"],
    ]);
  });
});

describe("what the provider asks for", () => {
  test.each([
    ["retry-after-ms", "7", 7],
    ["retry-after", "0.011", 11],
  ])("ER-018 %s is waited for in the place of the backoff", async (name, value, delayMs) => {
    const { server, session, events } = await openServed({ retry: endless });
    server.respond(anthropic.error(429, "slow down", { headers: { [name]: value } }), anthropic.text("Hello"));
    await session.prompt("Hi");
    expect(events.find(isRetryStart)).toMatchObject({ delayMs });
    expect(session.lastAssistantText()).toBe("Hello");
  });

  test("ER-018 more than 60 seconds fails at once, and the message names the wait", async () => {
    const { server, session, events } = await openServed({ retry: quick });
    server.respond(anthropic.error(429, "slow down", { headers: { "retry-after": "3600" } }));
    await session.prompt("Hi");
    expect(story(events)).toEqual(["agent_start", "turn_start", "user: Hi", failed, "turn_end", "agent_end", "agent_settled"]);
    expect(server.requests).toHaveLength(1);
    expect(session.messages.at(-1)).toMatchObject({
      errorMessage: expect.stringContaining("asks to wait 3600 s, but automatic retries wait at most 60 s"),
    });
  });

  test.each([
    ["false", 503, 1],
    ["true", 400, 2],
  ])("ER-018 x-should-retry: %s decides about a %i", async (value, status, requests) => {
    const { server, session } = await openServed();
    server.respond(anthropic.error(status, "no", { headers: { "x-should-retry": value } }), anthropic.text("Hello"));
    await session.prompt("Hi");
    expect(server.requests).toHaveLength(requests);
  });
});

describe("what no waiting cures", () => {
  test.each([
    [401, "authentication_error", "invalid x-api-key"],
    [403, "permission_error", "not allowed"],
    [400, "invalid_request_error", "overloaded with words"],
    [404, "not_found_error", "no such model"],
    [429, "rate_limit_error", "Your credit balance is too low"],
  ])("ER-015 ER-016 a %i %s is not retried", async (status, type, message) => {
    const { server, session, events } = await openServed();
    server.respond(anthropic.error(status, message, { type }));
    await session.prompt("Hi");
    expect(story(events)).toEqual(["agent_start", "turn_start", "user: Hi", failed, "turn_end", "agent_end", "agent_settled"]);
    expect(server.requests).toHaveLength(1);
  });

  test("ER-023 an overflow is not retried, and surfaces once", async () => {
    const { server, session } = await openServed();
    server.respond(anthropic.error(400, "prompt is too long: 2000 tokens > 1000 maximum", { type: "invalid_request_error" }));
    await session.prompt("Hi");
    expect(server.requests).toHaveLength(1);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant"]);
  });
});

describe("turned off or cancelled", () => {
  test.each(["setAutoRetry", "settings", "options"])("off by %s: the first failure stands", async (how) => {
    await workspace.write("agent/settings.json", { retry: { enabled: how !== "settings" } });
    const { server, session, events } = await openServed({ retry: how === "options" ? { ...quick, enabled: false } : quick });
    if (how === "setAutoRetry") session.retries.setEnabled(false);
    expect(session.state().autoRetryEnabled).toBe(false);
    server.respond(overloaded, overloaded, anthropic.text("Hello"));
    await session.prompt("Hi");
    expect(events.filter(({ type }) => type.startsWith("auto_retry"))).toEqual([]);
    session.retries.setEnabled(true);
    await session.prompt("Hi");
    expect(session.lastAssistantText()).toBe("Hello");
  });

  test("off in the middle: the attempt that is going is the last", async () => {
    const { server, session, events } = await openServed();
    server.respond(overloaded, () => {
      session.retries.setEnabled(false);
      return overloaded;
    });
    await session.prompt("Hi");
    expect(story(events).slice(4)).toEqual([
      ...["turn_end", "retry 1 of 3", "turn_start", failed, "turn_end", expect.stringMatching(/^retry over at 1: .*Overloaded/)],
      ...["agent_end", "agent_settled"],
    ]);
  });

  test.each(["abort", "abortRetry", "dispose"] as const)("ER-021 %s ends the wait at once, with one end", async (how) => {
    const { server, session, events } = await openServed({ retry: endless });
    server.respond(overloaded, anthropic.text("Hello"));
    const waiting = nextEvent(session, isRetryStart);
    const { settled } = await session.submit("Hi");
    await waiting;
    expect(session.isStreaming).toBe(true);
    if (how === "abortRetry") session.retries.cancel();
    else await session[how]();
    await settled;
    expect(story(events).slice(4)).toEqual([
      ...["turn_end", "retry 1 of 3", "retry over at 1: The retry was cancelled."],
      ...(how === "abortRetry" ? [] : abortedTurn),
      ...["agent_end", "agent_settled"],
    ]);
    expect(server.requests).toHaveLength(1);
    expect(session.isStreaming).toBe(false);
    if (how === "dispose") return;
    await session.prompt("Again");
    expect(session.lastAssistantText()).toBe("Hello");
  });

  test("ER-021 an abort during the second attempt ends the cycle once", async () => {
    const { server, session, events } = await openServed();
    server.respond(overloaded, anthropic.answer([{ text: "Half" }], { ending: [keepOpen] }));
    session.subscribe((event) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") void session.abort();
    });
    await session.prompt("Hi");
    expect(story(events).slice(4)).toEqual([
      ...["turn_end", "retry 1 of 3", "turn_start", "assistant: Half [aborted]", "retry over at 1: The run was aborted."],
      ...["turn_end", "agent_end", "agent_settled"],
    ]);
  });

  test("abortRetry does nothing when nothing waits", async () => {
    const { server, session } = await openServed();
    server.respond(overloaded, anthropic.text("Hello"));
    session.retries.cancel();
    await session.prompt("Hi");
    expect(session.lastAssistantText()).toBe("Hello");
  });
});
