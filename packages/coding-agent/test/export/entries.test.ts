import { emptyUsage } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import type { EntryContent, SessionEntry } from "../../src/conversation/entries.ts";
import { EntryRenderer } from "../../src/export/entry-renderer.ts";
import { pageEnd, pageStart } from "../../src/export/page.ts";
import { assistantMessage, toolResult, userMessage } from "../helpers/messages.ts";

let nextId = 0;

function entry(content: EntryContent): SessionEntry {
  nextId += 1;
  return { ...content, id: `e${nextId}`, parentId: null, timestamp: "2026-01-02T13:04:05.000Z" };
}

const prompt = (text: string) => entry({ type: "message", message: userMessage(text) });
const call = (id: string, name: string, args: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id,
  name,
  arguments: args,
});
const text = (value: string) => ({ type: "text" as const, text: value });

function answer(...content: ReturnType<typeof call | typeof text>[]): SessionEntry {
  return entry({ type: "message", message: assistantMessage("", { content }) });
}

function result(id: string, shown: string, more: object = {}): SessionEntry {
  return entry({ type: "message", message: { ...toolResult(id, shown), ...more } });
}

/** The articles of a page, as the text that a reader sees, with one line for each. */
function articles(html: string): string[] {
  return html.split("<article").slice(1).map(shown);
}

function shown(html: string): string {
  return html
    .replace(/^[^>]*>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, " ")
    .trim();
}

function render(...entries: SessionEntry[]): string {
  const renderer = new EntryRenderer();
  return entries.map((each) => renderer.add(each, undefined)).join("") + renderer.end();
}

const command = (id: string, line: string) => call(id, "bash", { command: line });
const facts = "test/m, 0 tokens";

describe("a call and its result are one article", () => {
  test("in the order of the calls, in whatever order the results come", () => {
    const renderer = new EntryRenderer();
    const pieces = [
      answer(text("Both."), command("a", "first"), text("And"), command("b", "second")),
      result("b", "result of b", { toolName: "bash" }),
      result("a", "result of a", { toolName: "bash" }),
    ].map((each) => articles(renderer.add(each, undefined)));
    expect(pieces).toEqual([
      [expect.stringContaining("Both.")],
      [],
      ["bash $ first Output result of a", "And", "bash $ second Output result of b"],
    ]);
    expect(renderer.end()).toBe("");
  });

  test("a call without a result is shown before the next prompt or answer, and a result without a call by itself", () => {
    const html = articles(render(answer(command("a", "killed")), prompt("Go on"), result("a", "late", { toolName: "bash" })));
    expect(html).toEqual([
      expect.stringContaining("Assistant"),
      "bash $ killed No result",
      expect.stringContaining("Go on"),
      expect.stringContaining("Result of bash 2 January 2026, 13:04:05 UTC Output late"),
    ]);
    expect(articles(render(answer(command("a", "killed")), answer(text("next"))))[1]).toBe("bash $ killed No result");
  });

  test("entries between a call and its result keep their place, and a result of another shape shows its JSON", () => {
    const note = entry({ type: "custom_message", customType: "note", content: "between", display: true });
    const broken = entry({ type: "message", message: { ...toolResult("a", ""), content: "odd" as unknown as [] } });
    const html = articles(render(answer(command("a", "x")), note, broken));
    expect(html.map((each) => each.slice(0, 14))).toEqual(["Assistant 2 Ja", "note 2 January", "bash $ x No re", "Entry 2 Januar"]);
    expect(html[3]).toContain('"odd"');
  });
});

describe("the calls of our tools", () => {
  const only = (name: string, args: Record<string, unknown>, more: object = {}, shownResult = "done") =>
    render(answer(call("a", name, args)), result("a", shownResult, { toolName: name, ...more })).split("<article")[2] ?? "";

  test.each([
    ["bash", { command: "npm test", timeout: 600 }, "bash at most 600 seconds $ npm test Output done"],
    ["read", { path: "src/a.ts" }, "read src/a.ts Result done"],
    ["read", { path: "src/a.ts", offset: 10 }, "read src/a.ts from line 10 Result done"],
    ["read", { path: "src/a.ts", limit: 20, offset: 10 }, "read src/a.ts lines 10–29 Result done"],
    ["read", { path: "src/a.ts", limit: 1 }, "read src/a.ts line 1 Result done"],
    ["ls", {}, "ls . Result done"],
    ["grep", { pattern: "a+", path: "src", ignoreCase: true }, "grep a+ in src ignoreCase: true Result done"],
    ["write", { path: "a.txt", content: "one\ntwo\n" }, "write a.txt Content, 2 lines one two Result done"],
    // Arguments of other types, and tools of others: as JSON.
    ["bash", { command: 5 }, 'bash { "command" : 5 } Output done'],
    ["constructor", { a: "b" }, 'constructor { "a" : "b" } Result done'],
  ])("%s %j", (name, args, expected) => {
    expect(shown(only(name, args))).toBe(expected);
  });

  test("the text of a tool for people replaces arguments and content, but not those of an error", () => {
    const display = { call: "Tests of <b>", result: ["12 passed"] };
    expect(shown(only("tests", { long: "x" }, { display }))).toBe("tests Tests of &lt;b&gt; Result 12 passed");
    expect(shown(only("tests", { long: "x" }, { display: { result: [] } }))).toBe('tests { "long" : "x" }');
    expect(shown(only("tests", {}, { display, isError: true }))).toBe("tests Tests of &lt;b&gt; Error done");
  });

  test("an edit is a diff: of its arguments, or that of its result, which has line numbers", () => {
    const args = { path: "a.ts", edits: [{ oldText: "same\nold\nend\n", newText: "same\nnew <b>\nmore\nend\n" }] };
    const failed = only("edit", args, { isError: true });
    expect(failed).toContain(
      '<pre class="diff"><code> same\n<del>-old</del>\n<ins>+new &lt;b&gt;</ins>\n<ins>+more</ins>\n end</code></pre>',
    );
    const diff = "--- a.ts\n+++ a.ts\n@@ -4,1 +4,1 @@\n-old\n+new\n\\ No newline at end of file\n";
    const made = only("edit", args, { details: { diff } });
    expect(made).toContain(
      '<code><span class="hunk">@@ -4,1 +4,1 @@</span>\n<del>-old</del>\n<ins>+new</ins>\n<span class="hunk">\\ No newline at end of file</span></code>',
    );
    expect(made).not.toContain("same");
  });

  test("results are open if they are short, an error or an image", () => {
    const details = (more: object, shownResult: string) =>
      /<details[^<]*<summary>[^<]*/.exec(only("bash", { command: "x" }, more, shownResult))?.[0];
    expect(details({}, "a\n".repeat(12))).toBe("<details open><summary>Output");
    expect(details({}, "a\n".repeat(1234))).toBe("<details><summary>Output, 1,234 lines");
    expect(details({ isError: true }, "a\n".repeat(20))).toBe("<details open><summary>Error, 20 lines");
    expect(details({ content: [text("a\n".repeat(20)), { type: "image", data: "aGk=", mimeType: "image/png" }] }, "")).toBe(
      "<details open><summary>Output, 20 lines",
    );
  });
});

describe("the page", () => {
  test("ends with the totals of what it shows", () => {
    const renderer = new EntryRenderer();
    const usage = { ...emptyUsage(), input: 1200, output: 34, cacheRead: 56_000, totalTokens: 57_234 };
    const paid = { ...usage, cost: { ...usage.cost, total: 0.25 } };
    renderer.add(prompt("Hi"), undefined);
    renderer.add(entry({ type: "message", message: assistantMessage("a", { usage: paid }) }), undefined);
    renderer.add(
      entry({ type: "message", message: assistantMessage("b", { usage: paid, content: [command("a", "x")] }) }),
      undefined,
    );
    renderer.add(entry({ type: "compaction", summary: "s", firstKeptEntryId: "x", tokensBefore: 1, usage: paid }), undefined);
    expect(shown(`>${pageEnd(renderer.stats)}`)).toBe(
      "Total: 1 prompt, 2 answers, 1 tool call 171,702 tokens (3,600 in, 102 out, 168,000 read from the cache), $0.75",
    );
    expect(pageEnd(new EntryRenderer().stats)).toBe("</main>\n</body>\n</html>\n");
  });

  test("has readable times that programs can read; a time of another shape is shown as it is", () => {
    const header = { type: "session" as const, version: 3 as const, id: "s", timestamp: "2026-01-02T03:04:05.678Z", cwd: "/" };
    expect(pageStart({ header, name: null, elsewhere: 0 })).toContain(
      '<dd><time datetime="2026-01-02T03:04:05.678Z">2 January 2026, 03:04:05 UTC</time></dd>',
    );
    expect(render({ ...prompt("x"), timestamp: "soon <b>" })).toContain("<time>soon &lt;b&gt;</time>");
  });
});

test("the model and the usage of an answer are below its first text", () => {
  expect(articles(render(answer(text("Hello"))))).toEqual([`Assistant 2 January 2026, 13:04:05 UTC Hello ${facts}`]);
});
