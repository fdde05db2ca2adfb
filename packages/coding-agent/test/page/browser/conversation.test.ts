import { until } from "@pikit/test-kit";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { toolResult } from "../../helpers/messages.ts";
import { answer, end, prompt, run, start, textFrames, update, whole } from "../frames.ts";
import type { ScriptedServer, ScriptedSession } from "../scripted-server.ts";
import { hasBrowser, useBrowser } from "./browser.ts";

const { visit } = useBrowser();

function sessionOf(server: ScriptedServer): ScriptedSession {
  const session = server.sessions.get("s1");
  if (!session) throw new Error("The server has no session.");
  return session;
}

const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string, name: string, args: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id,
  name,
  arguments: args,
});

/** Resolves when the page watches the session and has read its history. */
async function ready(page: Page, session: ScriptedSession): Promise<void> {
  await session.sent("get_messages");
  await page.locator(".connection", { hasText: /^$|Working/ }).waitFor({ state: "attached" });
}

describe.skipIf(!hasBrowser)("a conversation in a browser (needs chromium)", () => {
  test("streams over a connection that is cut again and again, and shows every word once", async () => {
    const { server, page, problems } = await visit();
    const session = sessionOf(server);
    await ready(page, session);
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
    const message = answer([text(words.join(" "))]);
    session.emit(
      { type: "agent_start" },
      ...whole(prompt("Count")),
      start(message),
      update({ type: "text_start", contentIndex: 0 }),
    );
    for (const [index, word] of words.entries()) {
      session.emit(update({ type: "text_delta", contentIndex: 0, delta: index === 0 ? word : ` ${word}` }));
      if (index % 50 !== 49) continue;
      await page.getByText(`${word}`).waitFor({ state: "attached" });
      session.cut();
    }
    session.emit(update({ type: "text_end", contentIndex: 0, content: words.join(" ") }), end(message));
    session.emit({ type: "agent_end", messages: [], willRetry: false }, { type: "agent_settled" });
    await page.getByText("test/m, 0 tokens").waitFor();
    expect((await page.locator("article.assistant .text").textContent())?.trim()).toBe(words.join(" "));
    expect(await page.locator("article").count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test("after a restart of the server, the conversation is read anew", async () => {
    const { server, page } = await visit({
      prepare: (set) => {
        sessionOf(set).messages = [prompt("Before"), answer([text("Answer before")])];
      },
    });
    const session = sessionOf(server);
    await page.getByText("Answer before").waitFor();
    session.messages = [...session.messages, prompt("Meanwhile")];
    session.restart();
    await page.getByText("Meanwhile").waitFor();
    expect(await page.locator("article").count()).toBe(3);
  });

  test("shows Markdown, folded thinking, commands with their output, diffs and images", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: pixel };
    const { server, page, problems } = await visit({
      prepare: (set) => {
        sessionOf(set).messages = [
          prompt("Go"),
          answer([
            { type: "thinking", thinking: "Let me think." },
            text("# Title\n\n```js\nconst a = 1;\n```\n\n<img src=x onerror=alert(1)>"),
            call("c1", "bash", { command: "npm test" }),
            call("c2", "edit", { path: "a.ts", oldText: "old", newText: "new" }),
            call("c3", "read", { path: "b.png" }),
          ]),
          { ...toolResult("c1", "12 passed"), toolName: "bash" },
          { ...toolResult("c2", "Edited"), toolName: "edit", details: { diff: "--- a\n+++ a\n@@ -7,1 +7,1 @@\n-old\n+new\n" } },
          { ...toolResult("c3", ""), toolName: "read", content: [image] },
        ];
      },
    });
    await ready(page, sessionOf(server));
    await page.getByRole("heading", { name: "Title" }).waitFor();
    expect(await page.getByText("Let me think.").isVisible()).toBe(false);
    await page.getByText("Thinking", { exact: true }).click();
    await page.getByText("Let me think.").waitFor();
    expect(await page.locator("pre.command").textContent()).toBe("$ npm test");
    expect(await page.locator("article.tool").first().textContent()).toContain("12 passed");
    expect(await page.locator(".diff").textContent()).toBe("@@ -7,1 +7,1 @@\n-old\n+new");
    const colors = await page
      .locator(".diff ins, .diff del")
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).backgroundColor));
    expect(new Set(colors).size).toBe(2);
    const width = await page.locator("article.tool img").evaluate((shown) => (shown as HTMLImageElement).naturalWidth);
    expect(width).toBe(1);
    // Nothing of it is an element of the page.
    expect(await page.locator(".markdown img").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("messages of another shape are shown as they are, and the ones around them as always", async () => {
    const odd = { ...answer([]), content: "<b>odd</b>" };
    const { page, problems } = await visit({
      prepare: (set) => {
        sessionOf(set).messages = [prompt("Before"), odd as never, { ...prompt(""), content: 5 } as never, answer([text("After")])];
      },
    });
    await page.getByText("Before").waitFor();
    await page.getByText('"<b>odd</b>"').waitFor();
    await page.getByText("After", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test("shows the output of a command while it runs", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await ready(page, session);
    const message = answer([call("c1", "bash", { command: "make" })]);
    const running = { toolCallId: "c1", toolName: "bash", args: {} };
    const output = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
    session.emit({ type: "agent_start" }, start(message), end(message), { type: "tool_execution_start", ...running });
    session.emit({ type: "tool_execution_update", ...running, partialResult: { content: [text(output)], details: null } });
    await page.getByText("line 49").waitFor();
    expect(await page.locator("pre.live").textContent()).not.toContain("line 29\n");
    await page.getByText("30 earlier lines").waitFor();
    session.emit(...whole({ ...toolResult("c1", "failed"), isError: true }));
    await page.locator("article.error").getByText("failed").waitFor();
    expect(await page.locator("pre.live").count()).toBe(0);
  });

  test("a long conversation: an answer that streams changes no other message, and the end stays in view", async () => {
    const { server, page } = await visit({
      prepare: (set) => {
        const turns = Array.from({ length: 300 }, (_, index) => [
          prompt(`Question ${index}`),
          answer([text(`Answer **${index}**`)]),
        ]);
        sessionOf(set).messages = turns.flat();
      },
    });
    const session = sessionOf(server);
    await page.getByText("Question 0", { exact: true }).waitFor({ state: "attached" });
    await page.evaluate(() => {
      const list = document.querySelector(".items");
      const touched = new Set<Node>();
      Object.assign(window, { touched });
      new MutationObserver((records) => {
        for (const { target } of records) {
          let node: Node | null = target;
          while (node && node.parentNode !== list) node = node.parentNode;
          // Elements that were replaced meanwhile are in no message.
          if (node || target === list) touched.add(node ?? target);
        }
      }).observe(list as Node, { childList: true, subtree: true, characterData: true, attributes: true });
    });
    const message = answer([text("The last one.")]);
    session.emit(...run(start(message), ...textFrames(0, ["The last ", "one."]), end(message)));
    await page.locator(".items").getByText("The last one.").waitFor();
    await page.locator(".streaming").waitFor({ state: "detached" });
    // The list itself, to which it was added, and the new answer.
    expect(await page.evaluate(() => (window as unknown as { touched: Set<Node> }).touched.size)).toBeLessThanOrEqual(2);
    const isInView = () =>
      page
        .locator("article")
        .last()
        .evaluate((last) => last.getBoundingClientRect().bottom <= innerHeight);
    await until("the end is in view", isInView);
  });
});

/** A PNG of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
