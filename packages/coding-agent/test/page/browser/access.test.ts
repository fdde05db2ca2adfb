import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { toolResult } from "../../helpers/messages.ts";
import { answer, prompt } from "../frames.ts";
import type { ScriptedServer } from "../scripted-server.ts";
import { hasBrowser, useBrowser, type VisitOptions } from "./browser.ts";

const { visit } = useBrowser();
const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A session with everything that the page shows. */
function prepare(server: ScriptedServer): void {
  server.add("s2", { firstPrompt: "Why?", interrupted: true, waiting: 1, live: true });
  const session = server.sessions.get("s1");
  if (!session) return;
  session.state.isStreaming = true;
  session.messages = [
    prompt("Look"),
    answer([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "See [this](https://example.com):\n\n```js\n// a comment\nconst a = `x`;\n```\n\n| a |\n|---|\n| b |" },
      { type: "toolCall", id: "c1", name: "edit", arguments: { path: "a.ts", oldText: "a", newText: "b" } },
      { type: "toolCall", id: "c2", name: "bash", arguments: { command: "ls" } },
    ]),
    toolResult("c1", "Edited"),
    { ...toolResult("c2", "failed"), isError: true },
  ];
  session.ask({ id: "q1", method: "select", title: "Allow bash?\n\nrm", options: ["Yes", "No"] });
}

/** The rules of accessibility that the page breaks. Without `eval`, which the page's policy forbids. */
async function findViolations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { readFile } = await import("node:fs/promises");
  await session.send("Runtime.evaluate", { expression: await readFile(axeFile, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))",
    ...{ awaitPromise: true, returnByValue: true },
  });
  return result.value as string[];
}

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const looks: [string, NonNullable<VisitOptions["context"]>][] = [
  ["desktop", { viewport: { width: 1280, height: 800 } }],
  ["phone", phone],
  ["dark", { colorScheme: "dark" }],
  ["phone, dark", { ...phone, colorScheme: "dark" }],
];

describe.skipIf(!hasBrowser)("the page in a browser (needs chromium)", () => {
  test.each(looks)("%s: nothing is wider than the window, and axe finds nothing", async (name, context) => {
    const { page, problems } = await visit({ context, prepare });
    await page.getByRole("button", { name: "Yes" }).waitFor();
    await page.getByText("failed").waitFor({ state: "attached" });
    await page.getByText("$0.25").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)");
    expect(light).toBe(!name.includes("dark"));
    expect(problems).toEqual([]);
  });

  test("on a phone, the list and the conversation are two views", async () => {
    const { page } = await visit({ context: phone, prepare });
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
    await page.getByRole("link", { name: "All sessions" }).tap();
    await page.getByRole("link", { name: /Why\?/ }).waitFor();
    expect(await page.getByRole("textbox", { name: "Prompt" }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: /First/ }).tap();
    // Enter is a new line there, as on every phone.
    const field = page.getByRole("textbox", { name: "Prompt" });
    await field.fill("a");
    await field.press("Enter");
    await page.keyboard.type("b");
    expect(await field.inputValue()).toBe("a\nb");
  });

  test("a screen reader hears an answer when it is complete, and a question", async () => {
    const { server, page } = await visit();
    const session = server.sessions.get("s1");
    await session?.sent("get_messages");
    const status = page.locator(".hidden-text[aria-live=polite]");
    session?.emit({ type: "message_end", message: answer([{ type: "text", text: "All done." }]) });
    await status.getByText("Assistant: All done.").waitFor({ state: "attached" });
    session?.ask({ id: "q", method: "confirm", title: "Really?", message: "" });
    await status.getByText("Question: Really?").waitFor({ state: "attached" });
    // The conversation itself is not read out with every word.
    expect(await page.locator(".log[aria-live], .log [aria-live]").count()).toBe(0);
  });

  test("the token: taken from the address, in no request's address, not in the page, and asked for when it is missing or wrong", async () => {
    const { server, page, problems } = await visit({ fragment: () => "" });
    const field = page.getByLabel("Token");
    await field.fill("no token!");
    await page.keyboard.press("Enter");
    await page.getByText("This is no token").waitFor();
    await field.fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("The server refused the token.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate((fragment) => {
      location.hash = fragment;
    }, `token=${server.token}&session=s1`);
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    await server.sessions.get("s1")?.sent("get_messages");
    expect(page.url()).toBe(`${server.url}/#session=s1`);
    expect(await page.content()).not.toContain(server.token);
    for (const { url, referer } of server.requests) expect(url + referer).not.toContain(server.token);
    const withoutToken = server.requests.filter(({ authorization }) => authorization === undefined).map(({ url }) => url);
    expect(new Set(withoutToken)).toEqual(new Set(["/", "/page.js", "/page.css"]));
    // It is kept in this tab: a reload needs no link.
    await page.reload();
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("a script or a request to elsewhere would be stopped", async () => {
    const { page, problems } = await visit();
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
    });
    const fetched = await page.evaluate(() => fetch("http://127.0.0.1:9/").catch((error: Error) => error.message));
    expect(fetched).toBe("Failed to fetch");
    expect(await page.title()).not.toBe("taken");
    expect(problems.filter((problem) => problem.includes("Content Security Policy"))).not.toEqual([]);
  });
});
