import { existsSync } from "node:fs";
import { join } from "node:path";
import { anthropic, keepOpen, openai, type ProviderServer } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser } from "../../src/user-interface.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { expectProcessGone, readPid } from "../helpers/processes.ts";
import { nextEvent, openSession } from "../helpers/sessions.ts";
import { abortedTurn, story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const never = new Promise<never>(() => {});
const wires = [
  ["local-anthropic/claude", anthropic],
  ["local-openai/gpt", openai],
] as const;

async function openServed(options: CreateAgentSessionOptions): Promise<{
  server: ProviderServer;
  session: AgentSession;
  events: AgentSessionEvent[];
}> {
  const server = await serveModels(workspace);
  return { server, ...(await openSession(workspace, { model: "local-anthropic/claude", ...options })) };
}

/** Aborts, and expects that everything has ended when the abort has, with the end of the run told once. */
async function expectStopped(session: AgentSession, events: readonly AgentSessionEvent[], settled: Promise<void>): Promise<void> {
  await session.abort();
  expect(session.isStreaming).toBe(false);
  const told = story(events);
  expect(told.slice(-3)).toEqual(["turn_end", "agent_end", "agent_settled"]);
  expect(told.filter((line) => line.startsWith("agent_"))).toEqual(["agent_start", "agent_end", "agent_settled"]);
  await settled;
  const count = events.length;
  await session.abort();
  expect(events).toHaveLength(count);
}

describe.each(wires)("%s: abort leaves nothing at work", (model, wire) => {
  test("AG-011 while connecting: the server sees the connection close", async () => {
    const { server, session, events } = await openServed({ model });
    server.respond({ after: never }, wire.text("Hello"));
    const { settled } = await session.submit("Hi");
    const request = await server.nextRequest();
    await expectStopped(session, events, settled);
    await request.closed;
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted", content: [] });
    await session.prompt("Again");
    expect(session.lastAssistantText()).toBe("Hello");
    expect(server.requests).toHaveLength(2);
  });

  test("while an answer streams: the server sees the connection close, what has arrived is kept", async () => {
    const { server, session, events } = await openServed({ model });
    server.respond(wire.answer([{ text: "Half" }], { ending: [keepOpen] }));
    const streaming = nextEvent(
      session,
      (event) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta",
    );
    const { settled } = await session.submit("Hi");
    await streaming;
    await expectStopped(session, events, settled);
    await server.requests[0]?.closed;
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted", content: [{ text: "Half" }] });
  });

  test("AG-009 while a tool runs: its processes are gone, every call has a result, no request follows", async () => {
    const { server, session, events } = await openServed({ model });
    const command = "sleep 60 & echo $! > child; echo $$ > pid; wait";
    const call = (text: string) => ({ toolCall: "bash", arguments: { command: text } });
    server.respond(wire.answer([call(command), call("touch second")]), wire.text("Never"));
    const { settled } = await session.submit("Work");
    const pids = await Promise.all([readPid(join(workspace.cwd, "pid")), readPid(join(workspace.cwd, "child"))]);
    await expectStopped(session, events, settled);
    await Promise.all(pids.map(expectProcessGone));
    expect(session.messages.slice(-3)).toMatchObject([
      { role: "toolResult", isError: true },
      { role: "toolResult", isError: true },
      { role: "assistant", stopReason: "aborted", content: [] },
    ]);
    expect(existsSync(join(workspace.cwd, "second"))).toBe(false);
    expect(server.requests).toHaveLength(1);
    const told = events.findLast(({ type }) => type === "agent_end");
    expect(told).toMatchObject({ messages: session.messages });
    const stored = (await workspace.sessionLines()).flatMap(({ message }) => (message ? [message] : []));
    expect(stored.at(-1)).toMatchObject({
      role: "assistant",
      stopReason: "aborted",
      content: [],
      model: session.models.current?.id,
    });
    expect(session.lastAssistantText()).toBe("");
    // The next request has the calls with their results, and nothing of the abort.
    await session.prompt("Go on");
    expect(session.lastAssistantText()).toBe("Never");
    expect(JSON.stringify(server.requests[1]?.body).match(/aborted/g)).toHaveLength(2);
  });

  test("ER-021 while a retry waits: no request follows", async () => {
    const { server, session, events } = await openServed({ model, retry: { baseDelayMs: 60_000 } });
    server.respond(wire.error(529, "busy"));
    const waiting = nextEvent(session, ({ type }) => type === "auto_retry_start");
    const { settled } = await session.submit("Hi");
    await waiting;
    await session.abort();
    const over = "retry over at 1: The retry was cancelled.";
    expect(story(events).slice(-6)).toEqual([over, ...abortedTurn, "agent_end", "agent_settled"]);
    await settled;
    expect(server.requests).toHaveLength(1);
  });

  test("while the user is asked: the question is withdrawn, no request follows", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const user = {
      ...absentUser,
      clarify(_question: object, { signal }: { signal?: AbortSignal } = {}) {
        if (signal) asked.resolve(signal);
        return never;
      },
    };
    const { server, session, events } = await openServed({ model, user, limits: { maxTurns: 1 } });
    server.respond(wire.toolCall("bash", { command: "echo hi" }));
    const { settled } = await session.submit("Work");
    const signal = await asked.promise;
    await expectStopped(session, events, settled);
    expect(signal.aborted).toBe(true);
    expect(session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted", content: [] });
    expect(server.requests).toHaveLength(1);
  });
});

test("AG-011 two aborts at once, one by a signal, end one run once", async () => {
  const { server, session, events } = await openServed({});
  server.respond({ after: never });
  const controller = new AbortController();
  const { settled } = await session.submit("Hi", { signal: controller.signal });
  const request = await server.nextRequest();
  controller.abort();
  await Promise.all([session.abort(), session.abort(), settled, request.closed]);
  expect(story(events)).toEqual([
    ...["agent_start", "turn_start", "user: Hi", "assistant:  [aborted]", "turn_end", "agent_end", "agent_settled"],
  ]);
});

test("onCommandOutput gets what a bash call writes before the call ends, with its id", async () => {
  const chunks: [id: string, stream: string, chunk: string][] = [];
  const first = Promise.withResolvers<void>();
  const { server, session, events } = await openServed({
    onCommandOutput(toolCallId, stream, chunk) {
      chunks.push([toolCallId, stream, chunk]);
      first.resolve();
    },
  });
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two";
  server.respond(anthropic.toolCall("bash", { command }, { id: "call-7" }), anthropic.text("Done"));
  const { settled } = await session.submit("Work");
  await first.promise;
  expect(chunks).toEqual([["call-7", "stdout", "one\n"]]);
  expect(events.some(({ type }) => type === "tool_execution_end")).toBe(false);
  await workspace.write("work/go", "");
  await settled;
  expect(chunks.map(([, , chunk]) => chunk).join("")).toBe("one\ntwo\n");
  expect(story(events)).toContain("toolResult: one\ntwo");
});
