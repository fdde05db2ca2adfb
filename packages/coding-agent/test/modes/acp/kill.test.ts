import { expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { type Editor, startEditor } from "./editor.ts";

const workspace = useWorkspace();

/** Prompts of one conversation, each with a tool call. */
const prompts = 6;

/** Messages of the agent after which it is killed; most are in the middle of an answer or of a call. */
const instants = process.env.PIKIT_LONG === "1" ? Array.from({ length: 78 }, (_, n) => 3 + n) : [7, 16, 23, 31, 44, 58];

/** Kills the agent when it has sent so many messages. */
async function killAfter(editor: Editor, count: number): Promise<void> {
  await editor.waitFor(() => editor.received.length >= count);
  editor.child.kill("SIGKILL");
}

test.each(instants)("a process that is killed after message %i has stored every answer whose prompt has ended", async (instant) => {
  const answers = Array.from({ length: prompts }, (_, n) => [
    { text: `I look ${n}.`, toolCalls: [{ name: "bash", arguments: { command: `echo result-${n}` } }] },
    { text: `Answer ${n}.` },
  ]).flat();
  const editor = await startEditor(workspace, ["--model", await workspace.script(...answers)]);
  const sessionId = await editor.begin(workspace.cwd);
  const ended: number[] = [];
  const talk = async () => {
    for (let n = 0; n < prompts; n += 1) {
      await editor.prompt(sessionId, `Prompt ${n}.`);
      ended.push(n);
    }
  };
  await Promise.race([talk().catch(() => {}), killAfter(editor, instant)]);
  const known = [...ended];
  const next = await startEditor(workspace, ["--model", await workspace.script({ text: "Back." })]);
  const { sessions } = await next.agent.request("session/list", {});
  // Before the first answer nothing need be stored.
  if (known.length === 0 && sessions.length === 0) return;
  await next.agent.request("session/load", { sessionId, cwd: workspace.cwd, mcpServers: [] });
  const shown = JSON.stringify(next.updates());
  for (const n of known) {
    for (const text of [`Prompt ${n}.`, `I look ${n}.`, `result-${n}`, `Answer ${n}.`]) expect(shown).toContain(text);
  }
  expect(await next.prompt(sessionId, "Go on.")).toBe("end_turn");
});
