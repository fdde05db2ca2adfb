import { rm } from "node:fs/promises";
import type { AgentTool } from "@pikit/agent";
import type { Message } from "@pikit/ai";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { runProcess } from "../src/exec/run-process.ts";
import { bashThenDone, createScriptedSession, isToolStart, nextEvent } from "./helpers/sessions.ts";
import { rolesIn, useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

describe("shell commands of the user's own", () => {
  test("RP-017 emit no event, are stored, and reach the model with the next prompt", async () => {
    const seen: Message[][] = [];
    const { session, events } = await createScriptedSession(workspace, (context) => {
      seen.push(structuredClone(context.messages));
      return { text: "Seen." };
    });
    expect(await session.bash("echo one; exit 3")).toEqual({
      output: "one\n",
      exitCode: 3,
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 4,
      outputLines: 1,
      outputBytes: 4,
    });
    await session.bash("echo two");
    await session.bash("echo secret", { excludeFromContext: true });
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

  test("TL-046 during a tool call land behind its result, in memory and in the file", async () => {
    const hasEnded = Promise.withResolvers<void>();
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
      async runProcess(options) {
        const result = await runProcess(options);
        setImmediate(hasEnded.resolve);
        return result;
      },
    });
    const running = nextEvent(session, isToolStart);
    const { settled } = await session.submit("Wait for it");
    await running;
    const bash = session.bash("echo user");
    await hasEnded.promise;
    mayReturn.resolve();
    await settled;
    await bash;
    const expected = ["user", "assistant", "toolResult", "bashExecution", "assistant"];
    expect(session.messages.map(({ role }) => role)).toEqual(expected);
    expect(rolesIn(await workspace.sessionLines())).toEqual(expected);
  });

  test("TL-046 are told to the caller although the run they waited for was aborted", async () => {
    const { session } = await createScriptedSession(workspace, bashThenDone("sleep 30"));
    const running = nextEvent(session, isToolStart);
    await session.submit("Wait");
    await running;
    const bash = session.bash("echo user");
    await session.abort();
    expect(await bash).toMatchObject({ output: "user\n" });
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "bashExecution"]);
  });

  test("are stopped by abortBash only, and stream their output", async () => {
    const { session } = await createScriptedSession(workspace, []);
    const started = Promise.withResolvers<void>();
    const chunks: string[] = [];
    const bash = session.bash("echo begun; sleep 30", {
      onOutput(chunk) {
        chunks.push(chunk);
        started.resolve();
      },
    });
    await started.promise;
    await session.abort();
    session.abortBash();
    expect(await bash).toMatchObject({ cancelled: true, exitCode: null, output: "begun\n" });
    expect(chunks.join("")).toBe("begun\n");
  });

  test("that cannot be started reject, and leave nothing behind", async () => {
    const { session } = await createScriptedSession(workspace, []);
    await rm(workspace.cwd, { recursive: true });
    await expect(session.bash("echo hi")).rejects.toMatchObject({ code: "cwd_missing" });
    expect(session.messages).toEqual([]);
  });
});
