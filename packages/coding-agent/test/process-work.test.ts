import { cachedDataVersionTag } from "node:v8";
import { createScriptedModel } from "@pikit/ai";
import { expect, onTestFinished, test } from "vitest";
import { beginRun, beginWork, hasWork, watchWork } from "../src/process-work.ts";
import { createAgentSession } from "../src/session/assemble/create.ts";
import { useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

test("the listener is called when the first of some runs and commands begins, and when the last ends", () => {
  const told: string[] = [];
  onTestFinished(() => watchWork({ onBusy() {}, onIdle() {} }));
  watchWork({ onBusy: () => told.push("busy"), onIdle: () => told.push("idle") });
  beginWork()();
  expect(told).toEqual([]); // there was no run yet
  const ends = [beginRun(), beginWork(), beginRun()];
  for (const end of [...ends.slice(1), ...ends.slice(1)]) end();
  expect(hasWork()).toBe(true);
  ends[0]?.();
  beginWork()();
  expect(told).toEqual(["busy", "idle", "busy", "idle"]);
  expect(hasWork()).toBe(false);
});

test("a session is at work until its run has settled, refused prompts aside, and sets no flag of V8", async () => {
  const tag = cachedDataVersionTag();
  const { cwd, agentDir } = workspace;
  await using session = await createAgentSession({
    ...{ cwd, agentDir, session: "memory" },
    model: createScriptedModel({ script: [{ text: "Hello." }] }),
  });
  const atEnd: boolean[] = [];
  session.subscribe(({ type }) => void (type === "agent_settled" && atEnd.push(hasWork())));
  const prompt = session.prompt("Hi");
  await expect(session.prompt("Too early")).rejects.toMatchObject({ code: "busy" });
  await prompt;
  expect(atEnd).toEqual([true]);
  expect(hasWork()).toBe(false);
  expect(cachedDataVersionTag()).toBe(tag);
});
