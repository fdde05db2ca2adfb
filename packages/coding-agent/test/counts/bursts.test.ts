import { countTurns } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("prompts of many sessions at once begin and ask the model one in a turn of the event loop", async () => {
  using turns = countTurns();
  const asked: number[] = [];
  const began: number[] = [];
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { session } = await createScriptedSession(workspace, () => {
        asked.push(turns.count);
        return { text: "Done." };
      });
      session.subscribe(({ type }) => void (type === "agent_start" && began.push(turns.count)));
      return session;
    }),
  );
  await Promise.all(sessions.map((session) => session.prompt("Go")));
  for (const each of [began, asked]) {
    expect(each).toHaveLength(20);
    expect(new Set(each).size).toBe(20);
    expect(each).toEqual(each.toSorted((a, b) => a - b));
  }
});
