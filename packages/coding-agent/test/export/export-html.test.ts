import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyUsage } from "@pikit/ai";
import { assertLinear } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import type { EntryContent, SessionEntry } from "../../src/conversation/entries.ts";
import { type ExportedConversation, exportHtml, renderHtml } from "../../src/export/export-html.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { useTempFolder } from "../exec/temp-folder.ts";

const folder = useTempFolder();

const header: SessionHeader = { type: "session", version: 3, id: "s-1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/user" };

interface ConversationOptions {
  header?: Partial<SessionHeader>;
  name?: string;
  labels?: Record<string, string>;
  /** Told how many entries were read at once. */
  onRead?: (count: number) => void;
}

/** A conversation of these entries, one after another. */
function conversation(
  contents: readonly (EntryContent & { id?: string })[],
  options: ConversationOptions = {},
): ExportedConversation {
  const entries = contents.map((content, index) => ({
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp: "2026-01-01T00:00:01.000Z",
    ...content,
  })) as SessionEntry[];
  const nodes = entries.map(({ id, parentId, type }) => ({ id, parentId, type, kind: undefined, entry: undefined }));
  return {
    header: { ...header, ...options.header },
    name: options.name ?? null,
    labels: new Map(Object.entries(options.labels ?? {}).map(([id, label]) => [id, { label, timestamp: header.timestamp }])),
    nodes,
    activeBranch: () => nodes,
    async read(wanted) {
      options.onRead?.(wanted.length);
      return wanted.map(({ id }) => entries.find((entry) => entry.id === id) as SessionEntry);
    },
  };
}

async function render(contents: readonly (EntryContent & { id?: string })[], options: ConversationOptions = {}): Promise<string> {
  let page = "";
  for await (const piece of renderHtml(conversation(contents, options))) page += piece;
  return page;
}

function user(content: string): EntryContent {
  return { type: "message", message: { role: "user", content, timestamp: 0 } };
}

type Answer = Extract<Extract<EntryContent, { type: "message" }>["message"], { role: "assistant" }>;

function answer(content: Answer["content"], more: Partial<Answer> = {}): EntryContent {
  const message: Answer = {
    role: "assistant",
    content,
    api: "scripted",
    provider: "demo",
    model: "tour",
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: 0,
    ...more,
  };
  return { type: "message", message };
}

describe("a page", () => {
  test("shows prompts, answers, thinking, calls, results, commands and summaries in order", async () => {
    const page = await render([
      user("Hello"),
      answer([
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "# Title\n\nSome *text*.\n\n```js\nconst a = 1;\n```" },
        { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
      ]),
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "bash",
          content: [{ type: "text", text: "a.txt" }],
          isError: false,
          timestamp: 0,
        },
      },
      answer([{ type: "text", text: "x" }], { stopReason: "error", errorMessage: "529 overloaded" }),
      { type: "compaction", summary: "We *talked*.", firstKeptEntryId: "e0", tokensBefore: 10 },
      { type: "custom_message", customType: "note", content: "hidden note", display: false },
      { type: "custom", customType: "state", data: { secret: 1 } },
    ]);
    const shown = page.slice(page.indexOf("<main>"));
    const parts = [
      '<article id="entry-e0" class="user">',
      "<pre>Hello</pre>",
      "<pre>Hm.</pre>",
      "<h1>Title</h1>",
      "<p>Some <em>text</em>.</p>",
      '<pre><code><span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>;</code></pre>',
      '<h2><span class="tool-name">bash</span></h2>',
      '<span class="prompt">$</span> <span class="hljs-built_in">ls</span>',
      "<summary>Output</summary>\n<pre>a.txt</pre>",
      '<article id="entry-e3" class="error">',
      "<pre>529 overloaded</pre>",
      "<p>We <em>talked</em>.</p>",
      "</main>",
    ];
    const positions = parts.map((part) => shown.indexOf(part));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(page).not.toContain("hidden note");
    expect(page).not.toContain("secret");
  });

  test("shows pictures of known types that are base64, and names others", async () => {
    const image = (data: string, mimeType: string) => ({ type: "image" as const, data, mimeType });
    const page = await render([
      {
        type: "message",
        message: {
          role: "user",
          content: [image("aGk=", "image/png"), image('x" onerror="alert(1)', "image/png"), image("aGk=", "image/svg+xml")],
          timestamp: 0,
        },
      },
    ]);
    expect(page.match(/<img[^>]*>/g)).toEqual(['<img alt="image" src="data:image/png;base64,aGk=">']);
    expect(page).toContain("Image of the type image/svg+xml");
  });

  test("entries that another program wrote in its own way are shown as they are", async () => {
    const odd = { type: "message", message: { role: "assistant", content: "<b>text</b>" } } as unknown as EntryContent;
    const page = await render([odd, user("after")]);
    expect(page).toContain("&lt;b&gt;text&lt;/b&gt;");
    expect(page).toContain("<pre>after</pre>");
  });
});

describe("safety", () => {
  const hostile = `"'><script>alert(1)</script><!--&\u0000\u001b[2J`;

  test("SC-001 all dynamic text is escaped, in content and in attributes", async () => {
    const page = await render(
      [
        { ...user(hostile), id: hostile },
        answer(
          [
            { type: "text", text: hostile },
            {
              type: "text",
              text: `\`${hostile}\`\n\n\`\`\`js ${hostile}\n${hostile}\n\`\`\`\n\n| ${hostile} |\n|---|\n| ${hostile} |`,
            },
            {
              type: "text",
              text: `[${hostile}](https://example.com/${hostile} "${hostile}") ![${hostile}](<https://example.com/${hostile}>)`,
            },
            { type: "thinking", thinking: hostile },
            { type: "toolCall", id: hostile, name: hostile, arguments: { [hostile]: hostile }, argumentsError: hostile },
            ...Object.entries({
              bash: { command: hostile, timeout: 600 },
              read: { path: hostile, offset: 2, limit: 3 },
              edit: { path: hostile, oldText: hostile, newText: `${hostile}\n${hostile}` },
              write: { path: `a.${hostile}`, content: hostile },
              grep: { pattern: hostile, path: hostile, [hostile]: hostile },
              ls: { path: hostile },
            }).map(([name, args]) => ({ type: "toolCall" as const, id: name, name, arguments: args })),
          ],
          { provider: hostile, model: hostile, stopReason: "error", errorMessage: hostile },
        ),
        {
          type: "message",
          message: {
            role: "toolResult",
            toolCallId: hostile,
            toolName: hostile,
            content: [{ type: "text", text: hostile }],
            isError: true,
            timestamp: 0,
          },
        },
        {
          type: "message",
          message: {
            role: "toolResult",
            toolCallId: "edit",
            toolName: "edit",
            content: [],
            details: { diff: `--- ${hostile}\n+++ ${hostile}\n@@ ${hostile} @@\n-${hostile}\n+${hostile}\n` },
            isError: false,
            timestamp: 0,
          },
        },
        {
          type: "message",
          message: {
            role: "bashExecution",
            command: hostile,
            output: hostile,
            exitCode: 1,
            cancelled: false,
            truncated: false,
            fullOutputPath: hostile,
            timestamp: 0,
          },
        },
        {
          type: "message",
          message: {
            role: "user",
            content: "x",
            timestamp: 0,
            attachments: [{ id: hostile, type: "image", fileName: hostile, mimeType: hostile, size: 1, content: hostile }],
          },
        },
        { type: "model_change", provider: hostile, modelId: hostile },
        { type: "custom_message", customType: hostile, content: hostile, display: true },
        { type: "branch_summary", fromId: hostile, summary: hostile },
        { type: "compaction", summary: hostile, firstKeptEntryId: hostile, tokensBefore: 1 },
      ],
      {
        name: hostile,
        labels: { [hostile]: hostile, e2: hostile },
        header: { id: hostile, cwd: hostile, timestamp: hostile, parentSession: hostile },
      },
    );
    expect(page).not.toContain("<script");
    expect(page).not.toContain("<!--");
    expect(page).not.toContain("\u0000");
    expect(page).not.toContain("\u001b");
    // Every tag is one of ours, with nothing but our attributes.
    const tags = new Set(page.replace(/<style>.*<\/style>/s, "").match(/<[^>]*>/g));
    const ours =
      /^<(!doctype html|html lang="en"|meta (charset|http-equiv|name)="[^"<>]*"( content="[^"<>]*")?|article( id="entry-[^"<>]*")?( class="(user|assistant|tool|error)")?|span class="(label|dim|tool-name|prompt|hunk|hljs-[\w -]+)"|p class="dim"|div class="(markdown|failure)"|pre class="(command|diff|new-file)"|time datetime="[\d.TZ:-]{24}"|details( open)?|a href="https:\/\/example\.com\/[^"<>]*" rel="noopener noreferrer"|\/?(html|head|body|title|h1|h2|dl|dt|dd|main|article|footer|time|pre|code|p|ins|del|summary|table|thead|tbody|tr|th|td|span|details|div|a))>$/;
    expect([...tags].filter((tag) => !ours.test(tag))).toEqual([]);
  });

  test("SC-002 nothing ends an element early, and the page may load and run nothing", async () => {
    const page = await render([
      answer([
        { type: "text", text: "</style></script></pre><iframe src=https://example.com>\n\n<!-- x -->\n\n<img src=x onerror=y>" },
      ]),
    ]);
    expect(page.match(/<\/?style>/g)).toEqual(["<style>", "</style>"]);
    expect(page).not.toMatch(/<(script|iframe|img|link|object|embed|form|base)/);
    expect(page).toContain("&lt;iframe src=https://example.com&gt;");
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; img-src data:; base-uri 'none'; form-action 'none'$/,
    );
    expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
  });

  test.each([
    ["[a](https://example.com/b)", '<a href="https://example.com/b" rel="noopener noreferrer">a</a>'],
    ["[a](http://example.com)", '<a href="http://example.com/" rel="noopener noreferrer">a</a>'],
    ["[a](mailto:me@example.com)", '<a href="mailto:me@example.com" rel="noopener noreferrer">a</a>'],
    ["https://example.com", '<a href="https://example.com/" rel="noopener noreferrer">https://example.com</a>'],
    ["![a](https://example.com/b.png)", '<a href="https://example.com/b.png" rel="noopener noreferrer">a</a>'],
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[a](JaVaScRiPt:alert(1))", "a (JaVaScRiPt:alert(1))"],
    ["[a](&#106;avascript:alert(1))", "a (&amp;#106;avascript:alert(1))"],
    ["[a](<java\tscript:alert(1)>)", "a (java\tscript:alert(1))"],
    ["[a](data:text/html,x)", "a (data:text/html,x)"],
    ["![a](data:image/png;base64,aGk=)", "a (data:image/png;base64,aGk=)"],
    ["[a](file:///etc/passwd)", "a (file:///etc/passwd)"],
    ["[a](vbscript:x)", "a (vbscript:x)"],
    ["[a](//example.com)", "a (//example.com)"],
    ["[a](src/main.ts)", "a (src/main.ts)"],
    ["[a](#top)", "a (#top)"],
    ["<javascript:alert(1)>", "javascript:alert(1) (javascript:alert(1))"],
  ])("SC-003 %s", (markdown, html) => {
    expect(renderMarkdown(markdown)).toBe(`<div class="markdown"><p>${html}</p>\n</div>`);
  });

  const pieces = ["[", "*a", "_a", "_a ", "> ", "1. ", "`a", "<a ", "![", "~~a", "a@", "**", "|a|\n|-|\n", "[a]: x\n", "```cs\na "];
  test.each(pieces)("SC-014 100 kB of %j take linear time", async (piece) => {
    await assertLinear(100_000, (length) => {
      const markdown = piece.repeat(length / piece.length);
      return () => expect(renderMarkdown(markdown)).not.toContain("<a <a");
    });
  });
});

describe("files", () => {
  test("the default name is in the working folder, for an empty session in memory too", async () => {
    const path = await exportHtml(conversation([]), { cwd: folder.path });
    expect(path).toBe(join(folder.path, "pi-session-s-1.html"));
    const page = await readFile(path, "utf8");
    expect(page).toMatch(/^<!doctype html>\n.*<main>\n<\/main>\n<\/body>\n<\/html>\n$/s);
    expect(page).toContain("<h1>Session s-1</h1>");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("an id that is a path is none", async () => {
    const path = await exportHtml(conversation([], { header: { id: "../../x y" } }), { cwd: folder.path });
    expect(path).toBe(join(folder.path, "pi-session-.._.._x_y.html"));
  });

  test("a path of the caller's is relative to the working folder, and what is there is replaced", async () => {
    await writeFile(join(folder.path, "out.html"), "old");
    expect(await exportHtml(conversation([user("new")]), { cwd: folder.path, outputPath: "out.html" })).toBe(
      join(folder.path, "out.html"),
    );
    expect(await readFile(join(folder.path, "out.html"), "utf8")).toContain("<pre>new</pre>");
    expect(await readdir(folder.path)).toEqual(["out.html"]);
  });

  test("a path that cannot be written is told in words, and leaves nothing behind", async () => {
    const outputPath = join(folder.path, "missing/out.html");
    await expect(exportHtml(conversation([]), { cwd: folder.path, outputPath })).rejects.toMatchObject({
      name: "SessionError",
      code: "write_failed",
      message: expect.stringContaining(`Cannot write the export to ${outputPath}`),
    });
    await expect(exportHtml(conversation([]), { cwd: folder.path, outputPath: "." })).rejects.toMatchObject({
      code: "write_failed",
    });
    const failing: ExportedConversation = { ...conversation([user("x")]), read: () => Promise.reject(new Error("gone")) };
    await writeFile(join(folder.path, "kept.html"), "old");
    await expect(exportHtml(failing, { cwd: folder.path, outputPath: "kept.html" })).rejects.toMatchObject({
      code: "write_failed",
    });
    expect(await readFile(join(folder.path, "kept.html"), "utf8")).toBe("old");
    expect(await readdir(folder.path)).toEqual(["kept.html"]);
  });

  test("a large session is read and written in pieces", async () => {
    const counts: number[] = [];
    const entries = Array.from({ length: 1001 }, (_, index) => user(`${index} ${"x".repeat(10_000)}`));
    const path = await exportHtml(conversation(entries, { onRead: (count) => counts.push(count) }), { cwd: folder.path });
    expect(Math.max(...counts)).toBe(50);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1001);
    expect((await stat(path)).size).toBeGreaterThan(10_000_000);
  });
});
