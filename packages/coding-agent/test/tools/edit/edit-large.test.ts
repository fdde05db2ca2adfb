import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { watchEventLoop } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { createEditTool } from "../../../src/tools/edit/definition.ts";
import type { EditParameters } from "../../../src/tools/edit/parameters.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool } from "../run-tool.ts";

const folder = useTempFolder();
const path = () => join(folder.path, "a.txt");

/** How often the event loop turns while a file is edited, and what the edit says. */
async function countTurns(content: string, params: Omit<EditParameters, "path">) {
  await writeFile(path(), content);
  const tool = createEditTool(folder.path);
  const watch = watchEventLoop();
  const result = await runTool(tool, { path: "a.txt", ...params }).then(
    ({ details }) => details,
    (error: Error) => error,
  );
  return { ...watch.stop(), result };
}

const code = Array.from({ length: 100_000 }, (_, i) => `const value${i} = compute(${i}, "some text here");\n`).join("");
const prose = Array.from({ length: 60_000 }, (_, i) => `\u201cWort\u201d ${i} \u2014 gr\u00f6\u00dfer als \u2026  \n`).join("");

describe("TL-045 an edit of a 5 MB file lets other work go on", () => {
  test.each([
    ["an exact match", code, `(99999, "some`],
    ["with CRLF", code.replaceAll("\n", "\r\n"), `here");\nconst value99999 =`],
    ["a tolerant match", code, "(99999, \u201csome"],
    ["a tolerant match where nothing is ASCII", prose, `"Wort" 59999 - gr`],
    ["one long line, tolerantly", prose.replaceAll("\n", " "), `"Wort" 59999 - gr`],
  ])("%s", async (_what, content, oldText) => {
    const { turns, longestCpuMs, result } = await countTurns(content, { oldText, newText: "new" });
    expect(result).toMatchObject({ replacements: 1 });
    expect(await readFile(path(), "utf8")).toContain("new");
    expect(turns).toBeGreaterThan(10);
    // Measured 10 to 25 ms on an idle machine.
    expect(longestCpuMs).toBeLessThan(500);
  });

  test.each([
    ["a text that is near one of the file", code, `compute(99998, "same text here")`],
    ["a text that is near nothing", prose, "SELECT everything FROM nowhere"],
    ["blanks that match nowhere", " ".repeat(5_000_000), `${" ".repeat(999)}x`],
  ])("%s is not found in bounded time", async (_what, content, oldText) => {
    const { turns, longestCpuMs, result } = await countTurns(content, { oldText, newText: "new" });
    expect(result).toMatchObject({ code: "not_found" });
    expect(turns).toBeGreaterThan(10);
    expect(longestCpuMs).toBeLessThan(500);
  });

  test("millions of overlapping occurrences are not all counted", async () => {
    const { result, longestCpuMs } = await countTurns(" ".repeat(5_000_000), { oldText: " ".repeat(999), newText: "" });
    expect(result).toMatchObject({ code: "ambiguous", message: expect.stringContaining("occurs more than 1000 times") });
    expect(longestCpuMs).toBeLessThan(500);
  });
});

test("an abort ends a long search, and the file stays", async () => {
  await writeFile(path(), prose);
  const controller = new AbortController();
  const tool = createEditTool(folder.path);
  const editing = runTool(tool, { path: "a.txt", oldText: "nowhere to be found", newText: "" }, { signal: controller.signal });
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  controller.abort(new Error("stop"));
  await expect(editing).rejects.toThrow("stop");
  expect(await readFile(path(), "utf8")).toBe(prose);
});
