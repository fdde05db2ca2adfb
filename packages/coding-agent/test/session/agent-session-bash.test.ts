import { readFile, rm } from "node:fs/promises";
import type { AgentTool } from "@pikit/agent";
import type { Message } from "@pikit/ai";
import { Type } from "@sinclair/typebox";
import { describe, expect, test, vi } from "vitest";
import { bashThenDone, createScriptedSession, isToolStart, nextEvent, openSession } from "../helpers/sessions.ts";
import { rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe("shell commands of the user's own", () => {
  test("RP-017 emit no event, are stored, and reach the model with the next prompt", async () => {
    const seen: Message[][] = [];
    const { session, events } = await createScriptedSession(workspace, (context) => {
      seen.push(structuredClone(context.messages));
      return { text: "Seen." };
    });
    expect(await session.shell.run("echo one; exit 3")).toEqual({
      output: "one\n",
      exitCode: 3,
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 4,
      outputLines: 1,
      outputBytes: 4,
    });
    await session.shell.run("echo two");
    await session.shell.run("echo secret", { excludeFromContext: true });
    expect(events).toEqual([]);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["bashExecution", "bashExecution", "bashExecution"]);
    await session.prompt("What happened?");
    expect(seen[0]?.map(({ content }) => content)).toEqual([
      "Ran `echo one; exit 3`\n```\none\n```\nExit code 3",
      "Ran `echo two`\n```\ntwo\n```",
      "What happened?",
    ]);
    expect((await workspace.sessionLines()).find(({ type }) => type === "message")?.message).toEqual({
      role: "bashExecution",
      command: "echo one; exit 3",
      output: "one\n",
      exitCode: 3,
      cancelled: false,
      truncated: false,
      fullOutputPath: null,
      timestamp: expect.any(Number),
    });
  });

  test("TL-046 during a tool call are stored at once, and land behind its result in the context, now and when it is loaded", async () => {
    const mayReturn = Promise.withResolvers<void>();
    const wait: AgentTool = {
      name: "wait",
      label: "Wait",
      description: "Waits for the test.",
      parameters: Type.Object({}),
      async execute() {
        await mayReturn.promise;
        return { content: [{ type: "text", text: "waited" }], details: null };
      },
    };
    const { session } = await createScriptedSession(workspace, [{ toolCalls: [{ name: "wait" }] }, { text: "Done." }], {
      customTools: [wait],
    });
    const running = nextEvent(session, isToolStart);
    const { settled } = await session.submit("Wait for it");
    await running;
    await session.shell.run("echo user");
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "bashExecution"]);
    mayReturn.resolve();
    await settled;
    const expected = ["user", "assistant", "toolResult", "bashExecution", "assistant"];
    expect(session.messages.map(({ role }) => role)).toEqual(expected);
    const path = session.sessionFile as string;
    await session.dispose();
    const resumed = await openSession(workspace, { session: { path }, model: "demo/tour" });
    expect(resumed.session.messages.map(({ role }) => role)).toEqual(expected);
  });

  test("TL-046 are told to the caller although the run they waited for was aborted", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("sleep 30"));
    const running = nextEvent(session, isToolStart);
    await session.submit("Wait");
    await running;
    const bash = session.shell.run("echo user");
    await session.abort();
    expect(await bash).toMatchObject({ output: "user\n" });
    const others = session.messages.map(({ role }) => role).filter((role) => role !== "assistant");
    expect(others).toEqual(["user", "toolResult", "bashExecution"]);
  });

  test("are stopped by abortBash only, and stream their output", async () => {
    const { session } = await createScriptedSession(workspace, []);
    const started = Promise.withResolvers<void>();
    const chunks: string[] = [];
    const bash = session.shell.run("echo begun; sleep 30", {
      onOutput(chunk) {
        chunks.push(chunk);
        started.resolve();
      },
    });
    await started.promise;
    await session.abort();
    session.shell.abort();
    expect(await bash).toMatchObject({ cancelled: true, exitCode: null, output: "begun\n" });
    expect(chunks.join("")).toBe("begun\n");
  });

  test("that cannot be started reject, and leave nothing behind", async () => {
    const { session } = await createScriptedSession(workspace, []);
    await rm(workspace.cwd, { recursive: true });
    await expect(session.shell.run("echo hi")).rejects.toMatchObject({ code: "cwd_missing" });
    expect(session.messages).toEqual([]);
  });

  test("TL-046 TL-006 have the limits of the bash tool: the end of the output, and all of it in a file", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("seq 3000"));
    const result = await session.shell.run("seq 3000");
    expect(result).toMatchObject({ truncated: true, totalLines: 3000, outputLines: 2000 });
    expect(await readFile(result.fullOutputPath ?? "", "utf8")).toMatch(/^1\n2\n[\s\S]*\n3000\n$/);
    await session.prompt("Count");
    const toolResult = session.messages.find(({ role }) => role === "toolResult");
    expect(JSON.stringify(toolResult)).toContain("Showing lines 1001-3000 of 3000.");
    expect(JSON.stringify(toolResult)).toContain(JSON.stringify(result.output).slice(1, -1));
    const paths = [result.fullOutputPath, (toolResult as { details: { fullOutputPath: string } }).details.fullOutputPath];
    for (const path of paths) await rm(path ?? "");
  });

  test("TL-012 are independent of those of other sessions, and abortBash stops all of one session", async () => {
    const [first, second] = [await createScriptedSession(workspace, []), await createScriptedSession(workspace, [])];
    const started: Promise<void>[] = [];
    const start = ({ session }: typeof first, command: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      started.push(promise);
      return session.shell.run(command, { onOutput: () => resolve() });
    };
    const stopped = [start(first, "echo 1; sleep 300"), start(first, "echo 2; sleep 300")];
    const other = start(second, "echo 3; until [ -e go ]; do sleep 0.02; done; echo done");
    await Promise.all(started);
    first.session.shell.abort();
    expect((await Promise.all(stopped)).map(({ cancelled, output }) => [cancelled, output])).toEqual([
      [true, "1\n"],
      [true, "2\n"],
    ]);
    await workspace.write("work/go", "");
    expect(await other).toMatchObject({ cancelled: false, output: "3\ndone\n" });
  });
});

describe("SC-015 the environment of commands", () => {
  test("has no key that was given to the agent, by option or in auth.json, but those that were inherited", async () => {
    vi.stubEnv("DEMO_API_KEY", "k-inherited");
    const auth = { anthropic: { type: "api_key", key: "k-from-file" } };
    await workspace.write("agent/auth.json", auth);
    const { session } = await createScriptedSession(workspace, bashThenDone("env"), { apiKey: "k-from-option" });
    const { output } = await session.shell.run("env");
    await session.prompt("Look");
    const told = JSON.stringify(session.messages);
    for (const text of [output, told]) {
      expect(text).toContain("k-inherited");
      expect(text).not.toMatch(/k-from-(option|file)/);
    }
    vi.unstubAllEnvs();
  });
});
