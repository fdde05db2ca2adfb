import { expect, test } from "vitest";
import { streamRecords } from "../../src/serve.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

interface WireRecord {
  type: string;
  assistantMessageEvent?: { delta?: string };
}

test("records are written one batch after another, deltas are joined meanwhile, and the end waits for the last batch", async () => {
  const text = "a few words, ".repeat(500);
  const { session } = await createScriptedSession(workspace, [{ text }, { text: "not recorded" }]);
  const firstWritten = Promise.withResolvers<void>();
  const batches: string[] = [];
  let isWriting = false;
  const records = await streamRecords(session, async (lines) => {
    expect(isWriting).toBe(false);
    isWriting = true;
    batches.push(lines);
    await firstWritten.promise;
    isWriting = false;
  });
  await session.prompt("Go");
  expect(batches).toHaveLength(1);
  const ended = records.end();
  firstWritten.resolve();
  await ended;
  await session.prompt("Again");
  const written = batches.flatMap((lines) =>
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as WireRecord),
  );
  expect(written.map(({ assistantMessageEvent }) => assistantMessageEvent?.delta ?? "").join("")).toBe(text);
  // The first batch may have had the beginning of the text; all of the rest came while it was written.
  expect(written.filter(({ assistantMessageEvent }) => assistantMessageEvent?.delta).length).toBeLessThanOrEqual(2);
  expect(written.at(-1)).toEqual({ type: "agent_settled" });
});
