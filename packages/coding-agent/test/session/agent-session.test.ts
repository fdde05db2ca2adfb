import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentMessage } from "@pikit/agent";
import type { ScriptedAnswer } from "@pikit/ai";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import { expectProcessGone, readPid } from "../helpers/processes.ts";
import { bashThenDone, createScriptedSession, isToolStart, nextEvent, openSession, outline } from "../helpers/sessions.ts";
import { rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const isDelta = (event: AgentSessionEvent) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";

describe("a prompt", () => {
  test("runs to its end: one pair of events around everything, settled last", async () => {
    const { session, events } = await createScriptedSession(workspace, bashThenDone("echo hello"));
    await session.prompt("Look");
    expect(outline(events)).toEqual([
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end user",
      "message_start assistant",
      "message_end assistant",
      "tool_execution_start bash",
      "tool_execution_end bash",
      "message_start toolResult",
      "message_end toolResult",
      "turn_end",
      "turn_start",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(session.lastAssistantText()).toBe("Done.");
    expect(session.isStreaming).toBe(false);
  });

  test("is accepted before the first event of its run, and isStreaming from then on", async () => {
    const { session, events } = await createScriptedSession(workspace, [{ text: "Hi" }]);
    const { settled } = await session.submit("Hello");
    expect(events).toEqual([]);
    expect(session.isStreaming).toBe(true);
    expect(readFileSync(session.sessionFile ?? "", "utf8")).toMatch(/"role":"user".*\n$/);
    await settled;
    expect(session.isStreaming).toBe(false);
  });

  test("whose model fails is told in the transcript and does not reject", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "Half", error: { status: 400, message: "bad" } }]);
    await session.prompt("Hello");
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "error", content: [{ text: "Half" }] });
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant"]);
  });

  test("during a run is refused, and changes nothing", async () => {
    const { session, events } = await createScriptedSession(workspace, bashThenDone("sleep 30"));
    const running = nextEvent(session, isToolStart);
    const { settled } = await session.submit("One");
    await running;
    const eventCount = events.length;
    const busy = { code: "busy", message: expect.stringMatching(/set streamingBehavior: "steer" .* "followUp" /) };
    await expect(session.prompt("Two")).rejects.toMatchObject(busy);
    expect(events).toHaveLength(eventCount);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant"]);
    await session.abort();
    await settled;
  });

  test("two at once: one is accepted", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "One" }, { text: "Two" }]);
    const results = await Promise.allSettled([session.submit("a"), session.submit("b")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await session.waitForIdle();
    await session.prompt("c");
    expect(session.lastAssistantText()).toBe("Two");
  });

  test.each([
    ["no_model", {}, "hi"],
    ["no_credentials", { provider: "anthropic" }, "hi"],
    ["invalid_input", { model: "demo/tour" }, " \n"],
  ])("that is refused for %s leaves no event, no message and no file", async (code, options, text) => {
    const { session, events } = await openSession(workspace, options);
    await expect(session.prompt(text)).rejects.toMatchObject({ name: "SessionError", code });
    expect(events).toEqual([]);
    expect(session.messages).toEqual([]);
    expect(session.isStreaming).toBe(false);
    expect(await workspace.sessionFiles()).toEqual([]);
  });

  test("can be sent from a listener of agent_settled", async () => {
    const { session, events } = await createScriptedSession(workspace, [{ text: "One" }, { text: "Two" }]);
    let second: Promise<void> | undefined;
    session.subscribe((event) => {
      if (event.type === "agent_settled") second ??= session.prompt("Again");
    });
    await session.prompt("First");
    await second;
    expect(outline(events).filter((line) => line.startsWith("agent_"))).toEqual([
      "agent_start",
      "agent_end",
      "agent_settled",
      "agent_start",
      "agent_end",
      "agent_settled",
    ]);
  });

  test("goes on when a listener throws, and the other listeners hear everything", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "Hi" }]);
    const failures: unknown[] = [];
    const { error } = console;
    console.error = (...args: unknown[]) => void failures.push(args);
    session.subscribe(() => {
      throw new Error("listener");
    });
    const later: string[] = [];
    session.subscribe(({ type }) => void later.push(type));
    await session.prompt("Hello").finally(() => {
      console.error = error;
    });
    expect(later.at(-1)).toBe("agent_settled");
    expect(failures.length).toBe(later.length);
  });
});

describe("written before told", () => {
  test("at each message_end the message is in the file, and before its prompt is accepted the user's is", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("echo hello"));
    const stored: AgentMessage[][] = [];
    session.subscribe((event) => {
      if (event.type !== "message_end") return;
      const lines = readFileSync(session.sessionFile as string, "utf8")
        .trimEnd()
        .split("\n");
      const messages = lines.map((line) => (JSON.parse(line) as { message?: AgentMessage }).message);
      stored.push([messages.at(-1) as AgentMessage, JSON.parse(JSON.stringify(event.message)) as AgentMessage]);
    });
    await session.prompt("Look");
    expect(stored).toHaveLength(4);
    for (const [inFile, told] of stored) expect(inFile).toEqual(told);
  });

  test("SE-002 SE-003 the file begins with the prompt; model and level stand before it; answers before their results", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("echo hello"));
    expect(await workspace.sessionFiles()).toEqual([]);
    await session.prompt("Look");
    const lines = await workspace.sessionLines();
    expect(lines.map(({ type, message }) => message?.role ?? type)).toEqual([
      "session",
      "model_change",
      "thinking_level_change",
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    expect(lines.slice(2).map(({ parentId }) => parentId)).toEqual(lines.slice(1, -1).map(({ id }) => id));
  });

  test("SE-021 a file that cannot be written is one error event; the run goes on, and all of it is written once that works", async () => {
    await writeFile(join(workspace.root, "agent"), "in the way");
    const { session, events } = await createScriptedSession(workspace, [...bashThenDone("echo hello"), { text: "Later." }]);
    await session.prompt("Look");
    expect(outline(events).filter((line) => line.startsWith("error"))).toEqual([
      expect.stringMatching(/^error: Cannot write to the session file .*: E[A-Z]+\. Choose another folder for sessions\.$/),
    ]);
    expect(session.lastAssistantText()).toBe("Done.");
    await rm(join(workspace.root, "agent"));
    await session.prompt("Again");
    const lines = await workspace.sessionLines();
    expect(lines.filter(({ type }) => type === "session")).toHaveLength(1);
    expect(rolesIn(lines)).toEqual(["user", "assistant", "toolResult", "assistant", "user", "assistant"]);
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
  });

  test("SE-014 in memory nothing is written anywhere", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "Hi" }], { session: "memory" });
    await session.prompt("Hello");
    expect(session.sessionFile).toBeNull();
    await session.history.startNew();
    expect(session.sessionFile).toBeNull();
    expect(await workspace.sessionFiles()).toEqual([]);
  });
});

describe("abort", () => {
  test("in the middle of an answer keeps what has arrived, stores it, and the session goes on", async () => {
    const slow: ScriptedAnswer = { text: "one two three", delayMs: 60_000 };
    const { session, events } = await createScriptedSession(workspace, [slow, { text: "Next." }]);
    const clock = holdClock();
    const streaming = nextEvent(session, isDelta);
    const { settled } = await session.submit("Count");
    await clock.passUntil(streaming);
    await session.abort();
    expect(session.isStreaming).toBe(false);
    expect(outline(events).slice(-4)).toEqual(["message_end assistant", "turn_end", "agent_end", "agent_settled"]);
    await settled;
    expect(session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted", content: [{ text: "one " }] });
    expect((await workspace.sessionLines()).at(-1)?.message).toMatchObject({ stopReason: "aborted" });
    await session.prompt("Go on");
    expect(session.lastAssistantText()).toBe("Next.");
  });

  test("in the middle of a tool kills its process and answers the call", async () => {
    const pidFile = join(workspace.cwd, "pid");
    const { session } = await createScriptedSession(workspace, bashThenDone(`echo $$ > ${pidFile}; exec sleep 300`));
    await session.submit("Work");
    const pid = await readPid(pidFile);
    await session.abort();
    expect(session.messages.slice(-2)).toMatchObject([{ role: "toolResult", isError: true }, { stopReason: "aborted" }]);
    await expectProcessGone(pid);
  });

  test("right behind the acceptance ends the run before a word, in the usual order", async () => {
    const { session, events } = await createScriptedSession(workspace, [{ text: "Never" }]);
    await session.submit("Hello");
    await session.abort();
    expect(outline(events)).toEqual([
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end user",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted", content: [] });
  });

  test("does nothing when idle; a signal that was aborted before stops the run of its prompt only", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "Hi" }]);
    await session.abort();
    await session.prompt("Hello", { signal: AbortSignal.abort() });
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
    await session.prompt("Hello");
    expect(session.lastAssistantText()).toBe("Hi");
  });

  test("by dispose, twice, also with a shell command running", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("sleep 30"));
    const running = nextEvent(session, isToolStart);
    const bash = session.shell.run("sleep 30");
    await session.submit("Work");
    await running;
    await Promise.all([session.dispose(), session.dispose()]);
    expect(session.isStreaming).toBe(false);
    expect(await bash).toMatchObject({ cancelled: true });
    await session.dispose();
    await expect(session.prompt("More")).rejects.toMatchObject({ code: "disposed" });
  });
});

describe("new session", () => {
  test("settles the run and begins an empty file; nothing of the old run gets into it", async () => {
    const { session, events } = await createScriptedSession(workspace, [...bashThenDone("sleep 30"), { text: "New." }]);
    const running = nextEvent(session, isToolStart);
    await session.submit("Old");
    await running;
    const bash = session.shell.run("sleep 30");
    let refused: Promise<unknown> | undefined;
    const [oldFile, oldId] = [session.sessionFile, session.sessionId];
    session.subscribe((event) => {
      // The old run has ended, and the new session is not there yet.
      if (event.type === "agent_settled") refused ??= session.prompt("Between").catch((error: unknown) => error);
    });
    await session.history.startNew(oldFile === null ? {} : { parentSession: oldFile });
    expect(await refused).toMatchObject({ code: "busy" });
    await bash;
    expect(session.isStreaming).toBe(false);
    expect(session.messages).toEqual([]);
    expect(session.sessionId).not.toBe(oldId);
    expect(outline(events).at(-1)).toBe("agent_settled");
    await session.prompt("New");
    const lines = await readFile(session.sessionFile ?? "", "utf8");
    expect(JSON.parse(lines.split("\n", 1)[0] ?? "")).toMatchObject({ id: session.sessionId, parentSession: oldFile });
    expect(lines).not.toContain("Old");
    expect(await readFile(oldFile ?? "", "utf8")).not.toContain("New");
  });
});
