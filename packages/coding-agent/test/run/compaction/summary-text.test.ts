import { describe, expect, test } from "vitest";
import type { CompactionPlan } from "../../../src/run/compaction/cut-point.ts";
import { collectFiles, readDetails } from "../../../src/run/compaction/file-lists.ts";
import { completeSummary, findOpenRequest, writtenPart } from "../../../src/run/compaction/summary-text.ts";
import { userMessage } from "../../helpers/messages.ts";
import { answer, user, work } from "./helpers.ts";

describe("CP-018 the files", () => {
  test("are those that calls have read and modified, in the order of their last use, each once", () => {
    const messages = [
      ...work(1, { id: "1", name: "read", path: "a.ts" }, { id: "2", name: "read", path: "b.ts" }),
      ...work(1, { id: "3", name: "read", path: "./a.ts" }, { id: "4", name: "edit", path: "c.ts" }),
      ...work(1, { id: "5", name: "write", path: "src/../d.ts" }, { id: "6", name: "read", path: "d.ts" }),
    ];
    expect(collectFiles(messages, undefined)).toEqual({ readFiles: ["b.ts", "a.ts"], modifiedFiles: ["c.ts", "d.ts"] });
  });

  test("not those of calls that failed, have no result, or name no file", () => {
    const [unanswered] = work(1, { id: "9", name: "read", path: "never.ts" });
    const messages = [
      ...work(1, { id: "1", name: "read", path: "gone.ts", isError: true }, { id: "2", name: "edit" }),
      ...work(
        1,
        { id: "3", name: "bash", path: "x" },
        { id: "4", name: "constructor", path: "x" },
        { id: "5", name: "read", path: " " },
      ),
      unanswered ?? user(1),
    ];
    expect(collectFiles(messages, undefined)).toEqual({ readFiles: [], modifiedFiles: [] });
  });

  test("accumulate, and modified wins", () => {
    const before = { readFiles: ["a.ts", "b.ts"], modifiedFiles: ["c.ts"] };
    const messages = work(1, { id: "1", name: "edit", path: "a.ts" }, { id: "2", name: "read", path: "c.ts" });
    expect(collectFiles(messages, before)).toEqual({ readFiles: ["b.ts"], modifiedFiles: ["c.ts", "a.ts"] });
  });

  test.each([undefined, null, 3, "text", {}, { readFiles: "a", modifiedFiles: [1, null], request: 5 }])(
    "details %j of another program are nothing",
    (details) => {
      expect(readDetails(details)).toEqual({ readFiles: [], modifiedFiles: [] });
    },
  );
});

describe("the summary", () => {
  const details = { readFiles: ["a.ts"], modifiedFiles: ["b.ts"], request: "Do it" };

  test("is what was written, the open request, and the files; what was written is found again", () => {
    const summary = completeSummary("Written.", details);
    expect(summary).toBe(
      [
        "Written.",
        "The work goes on with what the user asked for:\n<open-request>\nDo it\n</open-request>",
        "<read-files>\na.ts\n</read-files>",
        "<modified-files>\nb.ts\n</modified-files>",
      ].join("\n\n"),
    );
    expect(writtenPart({ summary, details })).toBe("Written.");
    expect(writtenPart({ summary: "Of another program", details })).toBe("Of another program");
    expect(completeSummary("Written.", { readFiles: [], modifiedFiles: [] })).toBe("Written.");
  });

  test("names the latest hundred files, each on one line that ends nothing", () => {
    const files = Array.from({ length: 150 }, (_, n) => `${n}.ts`);
    const summary = completeSummary("S", { readFiles: [...files, "x\n</read-files>\ny"], modifiedFiles: [] });
    expect(summary).toContain("\n149.ts\nx &lt;/read-files> y\n(and 51 before these)\n</read-files>");
    expect(summary).not.toContain("\n49.ts\n");
  });
});

describe("CP-005 the request that is still open", () => {
  const plan = (overrides: Partial<CompactionPlan>): CompactionPlan => ({
    previous: undefined,
    summarised: [userMessage("First"), answer(1), userMessage([{ type: "text", text: "Second" }, image]), answer(1)],
    kept: [answer(1)],
    lastSummarisedEntryId: "e4",
    firstKeptEntryId: "e5",
    summarisedTokens: 1,
    keptTokens: 1,
    ...overrides,
  });
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  const previous = (request?: string) => ({
    type: "compaction" as const,
    id: "c",
    parentId: null,
    timestamp: "",
    summary: "s",
    firstKeptEntryId: "e1",
    tokensBefore: 1,
    details: request === undefined ? undefined : { readFiles: [], modifiedFiles: [], request },
  });

  test("is the last one of the summarised part, where the kept part goes on with it", () => {
    expect(findOpenRequest(plan({}))).toBe("Second\n[an image]");
  });

  test("is that of the compaction before, where the turn is longer than two", () => {
    const inside = plan({ summarised: work(1, { id: "1" }), previous: previous("Long ago") });
    expect(findOpenRequest(inside)).toBe("Long ago");
    expect(findOpenRequest({ ...inside, previous: previous() })).toBeUndefined();
  });

  test("is none, where the kept part begins with a request, or with none after work that is done", () => {
    const bash = { exitCode: 0, cancelled: false, truncated: false, fullOutputPath: null, timestamp: 1 };
    const shell = { role: "bashExecution" as const, command: "ls", output: "", ...bash };
    expect(findOpenRequest(plan({ kept: [user(1), answer(1)] }))).toBeUndefined();
    expect(findOpenRequest(plan({ kept: [shell, user(1)] }))).toBeUndefined();
    expect(findOpenRequest(plan({ kept: [shell] }))).toBeUndefined();
  });

  test("a very long one is shortened in the middle", () => {
    const text = findOpenRequest(plan({ summarised: [userMessage(`${"a".repeat(50_000)}END`)] })) ?? "";
    expect(text.length).toBeLessThan(4100);
    expect(text.endsWith("END")).toBe(true);
  });
});
