import type { AgentMessage } from "@pikit/agent";
import { assertLinear } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { planCompaction } from "../../../src/run/compaction/cut-point.ts";
import { assistantMessage, toolResult, userMessage } from "../../helpers/messages.ts";
import { answer, path, textOfTokens, user, work } from "./helpers.ts";

function bash(tokens: number, excludeFromContext = false): AgentMessage {
  const output = textOfTokens(tokens);
  const fields = { exitCode: 0, cancelled: false, truncated: false, fullOutputPath: null, timestamp: 1 };
  return { role: "bashExecution", command: "ls", output, excludeFromContext, ...fields };
}

const turn = (tokens: number, name: string) => [user(tokens / 2, name), answer(tokens / 2)];

describe("CP-004 CP-005 where the cut falls", () => {
  test("at the user's turn in which the budget begins, so that at least the budget is kept", () => {
    const plan = planCompaction(path(...turn(100, "one"), ...turn(100, "two"), ...turn(100, "three"), ...turn(100, "four")), 150);
    expect(plan).toMatchObject({ firstKeptEntryId: "e5", summarisedTokens: 200, keptTokens: 200, previous: undefined });
    expect(plan?.kept[0]).toMatchObject({ role: "user" });
  });

  test("exactly at the budget", () => {
    expect(planCompaction(path(...turn(100, "one"), ...turn(100, "two")), 100)).toMatchObject({ firstKeptEntryId: "e3" });
  });

  test("at an answer inside a turn that is longer than the budget", () => {
    const long = [user(10), ...work(100, { id: "1" }), ...work(100, { id: "2" }), ...work(100, { id: "3" })];
    const plan = planCompaction(path(...turn(100, "one"), ...long), 150);
    expect(plan).toMatchObject({ firstKeptEntryId: "e6" });
    expect(plan?.kept.map(({ role }) => role)).toEqual(["assistant", "toolResult", "assistant", "toolResult"]);
  });

  test("never between parallel calls and their results, however long these are", () => {
    const batch = work(100, { id: "1" }, { id: "2" }, { id: "3" });
    const plan = planCompaction(path(user(10), ...work(50, { id: "0" }), ...batch, answer(10)), 120);
    expect(plan?.kept.map(({ role }) => role)).toEqual(["assistant", "toolResult", "toolResult", "toolResult", "assistant"]);
  });

  test("never between a call and its result with other messages in between", () => {
    const [call, result] = work(10, { id: "1" }) as [AgentMessage, AgentMessage];
    const plan = planCompaction(path(user(100), call, bash(100), user(100, "in between"), result, answer(10)), 50);
    expect(plan?.firstKeptEntryId).toBe("e2");
  });

  test("never at a result whose call is gone", () => {
    const plan = planCompaction(path(user(100), answer(100), toolResult("gone", textOfTokens(100)), answer(10)), 100);
    expect(plan?.firstKeptEntryId).toBe("e2");
  });

  test("ids that come again in later answers are pairs of their own", () => {
    const plan = planCompaction(path(user(10), ...work(100, { id: "1" }), ...work(100, { id: "1" })), 90);
    expect(plan?.firstKeptEntryId).toBe("e4");
  });

  test("entries that are no messages are passed over, and what no model reads weighs nothing", () => {
    const failed = answer(1000, { stopReason: "error", errorMessage: "no" });
    const plan = planCompaction(
      path(
        { type: "model_change", provider: "p", modelId: "m" },
        ...turn(100, "one"),
        { type: "custom", customType: "x", data: { big: textOfTokens(500) } },
        bash(1000, true),
        ...turn(100, "two"),
        failed,
        { type: "label", targetId: "e2" },
      ),
      100,
    );
    expect(plan).toMatchObject({ firstKeptEntryId: "e6", summarisedTokens: 100, keptTokens: 100 });
  });

  test("an image weighs about 1200 tokens", () => {
    const image = userMessage([{ type: "image", data: "AAAA", mimeType: "image/png" }]);
    expect(planCompaction(path(user(10), answer(10), image, answer(10)), 1000)).toMatchObject({ keptTokens: 1210 });
  });
});

describe("CP-006 nothing to summarise", () => {
  test.each([
    ["an empty session", path()],
    ["a session that fits", path(...turn(100, "one"))],
    ["older messages that no model reads", path(bash(500, true), ...turn(300, "one"))],
    [
      "a session that has just been compacted",
      path(...turn(300, "one"), ...turn(200, "two"), {
        type: "compaction",
        summary: "s",
        firstKeptEntryId: "e3",
        tokensBefore: 500,
      }),
    ],
  ])("%s", (_what, branch) => {
    expect(planCompaction(branch, 200)).toBeUndefined();
  });
});

describe("CP-007 repeated compaction", () => {
  const compaction = { type: "compaction" as const, summary: "s", firstKeptEntryId: "e3", tokensBefore: 200 };
  const branch = path(...turn(100, "one"), ...turn(100, "two"), compaction, ...turn(100, "three"), ...turn(100, "four"));

  test("covers everything since what the last one kept, and nothing twice", () => {
    const plan = planCompaction(branch, 100);
    expect(plan).toMatchObject({ firstKeptEntryId: "e8", summarisedTokens: 200, previous: { id: "e5" } });
    const texts = plan?.summarised.flatMap((message) => (message.role === "user" ? [String(message.content).split(" ")[0]] : []));
    expect(texts).toEqual(["two", "three"]);
  });

  test("is the same whether the branch begins at the boundary or at the root", () => {
    expect(planCompaction(branch.slice(2), 100)).toEqual(planCompaction(branch, 100));
  });

  test("may cut before the last compaction again, but not before its boundary", () => {
    expect(planCompaction(branch, 250)).toBeUndefined();
    expect(
      planCompaction(path(...turn(100, "one"), ...turn(40, "two"), ...turn(40, "three"), compaction, user(10)), 50),
    ).toMatchObject({
      firstKeptEntryId: "e5",
      summarisedTokens: 40,
    });
  });

  test("a boundary that is not on the path kept nothing", () => {
    const lost = path(...turn(100, "one"), { ...compaction, firstKeptEntryId: "gone" }, ...turn(100, "two"), ...turn(100, "three"));
    expect(planCompaction(lost, 100)).toMatchObject({ firstKeptEntryId: "e6", summarisedTokens: 100 });
  });
});

test("what is accepted and not said yet is never summarised", () => {
  const branch = path(...turn(100, "one"), ...turn(100, "two"), user(10, "waits"), user(300, "prompt"));
  expect(planCompaction(branch, 100)).toMatchObject({ firstKeptEntryId: "e6" });
  expect(planCompaction(branch, 100, 4)).toMatchObject({ firstKeptEntryId: "e5", lastSummarisedEntryId: "e4" });
  const compaction = { type: "compaction" as const, summary: "s", firstKeptEntryId: "e3", tokensBefore: 200 };
  const again = path(...turn(100, "one"), ...turn(100, "two"), compaction, ...turn(100, "three"), user(10), user(300));
  // The summary, and two turns.
  expect(planCompaction(again, 100, 5)).toMatchObject({ firstKeptEntryId: "e8" });
});

describe("keeping only what no answer has dealt with", () => {
  const failed = assistantMessage("", { content: [], stopReason: "error", errorMessage: "too long" });

  test("a prompt that waits, after the results of a batch that fills the window", () => {
    const plan = planCompaction(path(user(10), ...work(1000, { id: "1" }), user(10, "steer"), failed), 0);
    expect(plan?.kept.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("not even the results, where the run goes on from them", () => {
    const plan = planCompaction(path(user(10), ...work(1000, { id: "1" }), failed), 0);
    expect(plan).toMatchObject({ firstKeptEntryId: "e4", keptTokens: 0 });
  });

  test("nothing, where there is only the prompt", () => {
    expect(planCompaction(path(user(1000), failed), 0)).toBeUndefined();
  });
});

test("CP-004 a long branch takes linear time", async () => {
  await assertLinear(8000, (turns) => {
    const branch = path(...Array.from({ length: turns }, (_, n) => [user(5), ...work(5, { id: `${n}` }, { id: `${n}b` })]).flat());
    return () => planCompaction(branch, 100);
  });
});
