import { until } from "@pikit/test-kit";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { answer, end, prompt, start, whole } from "../frames.ts";
import type { ScriptedServer, ScriptedSession } from "../scripted-server.ts";
import { hasBrowser, useBrowser } from "./browser.ts";

const { visit } = useBrowser();

function sessionOf(server: ScriptedServer, id = "s1"): ScriptedSession {
  const session = server.sessions.get(id);
  if (!session) throw new Error("The server has no such session.");
  return session;
}

const field = (page: Page) => page.getByRole("textbox", { name: "Prompt" });

describe.skipIf(!hasBrowser)("the controls in a browser (needs chromium)", () => {
  test("with the keyboard only: a prompt, a second line, steering, a follow-up, and Escape to stop", async () => {
    const { server, page, problems } = await visit();
    const session = sessionOf(server);
    await field(page).waitFor();
    // The prompt has the focus from the start.
    await page.keyboard.type("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Two");
    await page.keyboard.press("Enter");
    expect(await session.sent("prompt")).toMatchObject({ message: "One\nTwo" });
    session.emit({ type: "agent_start" });
    await page.getByRole("button", { name: "Steer" }).waitFor();
    await page.keyboard.type("Left");
    await page.keyboard.press("Enter");
    expect(await session.sent("prompt", 1)).toMatchObject({ message: "Left", streamingBehavior: "steer" });
    await page.keyboard.type("Then right");
    await page.keyboard.press("Alt+Enter");
    expect(await session.sent("prompt", 2)).toMatchObject({ message: "Then right", streamingBehavior: "followUp" });
    session.emit({ type: "queue_update", steering: ["Left"], followUp: ["Then right"] });
    await page.getByText("Waiting: Left · Then right").waitFor();
    await page.keyboard.press("Escape");
    await session.sent("abort");
    session.emit({ type: "agent_end", messages: [], willRetry: false }, { type: "agent_settled" });
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("a prompt that is sent before the one before it is answered is sent after it, and is queued if that one began a run", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    let release = () => {};
    session.hold("prompt", new Promise<void>((resolve) => (release = resolve)));
    await field(page).fill("First");
    await page.keyboard.press("Enter");
    await session.sent("prompt");
    await page.keyboard.type("Second");
    await page.keyboard.press("Enter");
    expect(await field(page).inputValue()).toBe("");
    expect(session.records.filter(({ type }) => type === "prompt")).toHaveLength(1);
    release();
    expect(await session.sent("prompt", 1)).toMatchObject({ message: "Second", streamingBehavior: "steer" });
  });

  test("a prompt that is refused comes back into the field, with the reason", async () => {
    const { server, page } = await visit();
    sessionOf(server).on("prompt", () => {
      throw new Error("No model is set.");
    });
    await field(page).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("No model is set.").first().waitFor();
    expect(await field(page).inputValue()).toBe("Hello");
  });

  test("an approval: reached and answered with the keyboard, and never by a key that was meant for the prompt", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await field(page).waitFor();
    await session.sent("get_messages");
    session.ask({ id: "q1", method: "select", title: "Allow bash?\n\nrm -rf build", options: ["Yes", "No"] });
    await page.getByRole("heading", { name: "Allow bash?" }).waitFor();
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    expect(await session.sent("prompt")).toMatchObject({ message: "x" });
    // Backwards from the prompt: Cancel, No, Yes.
    for (let count = 0; count < 3; count += 1) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    expect(await session.sent("extension_ui_response")).toMatchObject({ id: "q1", value: "Yes" });
    await page.getByRole("heading", { name: "Allow bash?" }).waitFor({ state: "detached" });
    expect(session.records.filter(({ type }) => type === "extension_ui_response")).toHaveLength(1);
  });

  test("an approval with its reasons, its change and the rule that the longer answers make", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await session.sent("get_messages");
    const answers = ["once", "no", "session", "never", "always", "forbid", "later"];
    const rule = { rule: "edit(/etc/hosts)", ruleFile: "~/settings.json" };
    const call = { reasons: "It changes <b>.", call: " /etc/hosts\n-old\n+new", isDiff: true };
    const ask = (id: string, more: object) =>
      session.ask({ id, method: "confirm", title: "Allow edit?", message: "for others", approval: { ...call, ...more } });
    ask("q1", { answers, ...rule });
    await page.getByText("It changes <b>.").waitFor();
    expect(await page.locator(".questions ins").textContent()).toBe("+new");
    expect(await page.locator(".questions del").textContent()).toBe("-old");
    await page
      .getByText("The longer answers make the rule edit(/etc/hosts). Always and Never write it to ~/settings.json.")
      .waitFor();
    const labels = await page.locator(".questions button").allTextContents();
    expect(labels).toEqual(["Yes", "No", "Yes, for this session", "Always", "No, for this session", "Never"]);
    await page.getByRole("button", { name: "Always" }).click();
    expect(await session.sent("extension_ui_response")).toMatchObject({ id: "q1", value: "always" });
    ask("q2", { answers: ["once", "no"], isDiff: false });
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await until("the second answer", () => session.records.filter(({ type }) => type === "extension_ui_response").length === 2);
    expect(session.records.at(-1)).toMatchObject({ id: "q2", confirmed: true });
  });

  test("dialogs: a confirmation, an input, an editor; one that another client answers; one that stays open over a cut", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await session.sent("get_messages");
    session.ask({ id: "a", method: "confirm", title: "Sure?", message: "It is <b>final</b>." });
    session.ask({ id: "b", method: "input", title: "Name?", placeholder: "a name" });
    session.ask({ id: "c", method: "editor", title: "Text?", prefill: "before" });
    session.ask({ id: "d", method: "confirm", title: "Elsewhere?", message: "" });
    await page.getByText("It is <b>final</b>.").waitFor();
    session.cut();
    await until("the page has connected again", () => session.watchers === 1);
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByRole("textbox", { name: "Name?" }).fill("Ada");
    await page.keyboard.press("Enter");
    const editor = page.getByRole("textbox", { name: "Text?" });
    expect(await editor.inputValue()).toBe("before");
    await editor.fill("after");
    await page.getByRole("button", { name: "OK" }).click();
    await page.getByRole("heading", { name: "Elsewhere?" }).waitFor();
    session.settle("d", { confirmed: true });
    await page.getByRole("heading", { name: "Elsewhere?" }).waitFor({ state: "detached" });
    const answers = session.records.filter(({ type }) => type === "extension_ui_response").map(({ type: _type, ...rest }) => rest);
    expect(answers).toEqual([
      { id: "a", confirmed: false },
      { id: "b", value: "Ada" },
      { id: "c", value: "after" },
    ]);
  });

  test("attachments: chosen, pasted and dropped; one that is no text is refused", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Attach" }).click()]);
    await chooser.setFiles([
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("héllo") },
      { name: "film.mp4", mimeType: "video/mp4", buffer: Buffer.from("x") },
    ]);
    await page.getByText("film.mp4 is neither text nor").first().waitFor();
    await page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array([1, 2, 3])], "shot.png", { type: "image/png" }));
      const prompt = document.querySelector("#prompt");
      prompt?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
      const dropped = new DataTransfer();
      dropped.items.add(new File(["b"], "b.ts"));
      prompt?.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
    });
    await page.getByRole("button", { name: "Remove b.ts" }).waitFor();
    await page.getByRole("button", { name: "Remove shot.png" }).waitFor();
    await page.getByRole("button", { name: "Remove b.ts" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    expect(await session.sent("prompt")).toMatchObject({
      message: "",
      attachments: [
        { type: "document", fileName: "notes.txt", content: Buffer.from("héllo").toString("base64"), size: 6 },
        { type: "image", fileName: "shot.png", mimeType: "image/png", content: "AQID" },
      ],
    });
    await page.locator(".attachments li").first().waitFor({ state: "detached" });
  });

  test("the model and the thinking level are chosen, and usage and cost are shown", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    const model = page.getByRole("combobox", { name: "Model" });
    await page.getByText("$0.25 · 1,234 tokens · context 12 %").waitFor();
    await until("the models are listed", async () => (await model.locator("option").count()) === 2);
    expect(await model.inputValue()).toBe("demo/tour");
    await model.selectOption({ label: "Other" });
    expect(await session.sent("set_model")).toMatchObject({ provider: "second", modelId: "other" });
    await page.getByRole("combobox", { name: "Thinking" }).selectOption("high");
    expect(await session.sent("set_thinking_level")).toMatchObject({ level: "high" });
    await until("the choice is shown", async () => (await model.inputValue()) === "second/other");
  });

  test("rename, compact, and a session that another client has moved", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name of the session" }).fill("Better");
    await page.keyboard.press("Enter");
    expect(await session.sent("set_session_name")).toMatchObject({ name: "Better" });
    session.state.sessionName = "Better";
    session.emit({ type: "session_info_changed", name: "Better" });
    await page.getByRole("heading", { name: "Better" }).waitFor();
    await page.getByRole("button", { name: "Compact" }).click();
    await session.sent("compact");
    server.add("s9").messages = [prompt("In the fork")];
    session.state.sessionId = "s9";
    session.emit({ type: "agent_start" });
    await page.getByText("In the fork").waitFor();
    expect(new URL(page.url()).hash).toBe("#session=s9");
  });

  test("the list shows the state of sessions, opens them, and begins new ones", async () => {
    const { server, page } = await visit({
      fragment: (token) => `#token=${token}`,
      prepare: (set) => {
        set.add("s2", { firstPrompt: "Why <b>?", interrupted: true, waiting: 2 }).messages = [prompt("Why <b>?")];
        set.listed.set("s1", { name: "First", live: true, streaming: true });
      },
    });
    let body: unknown;
    server.onBegin = (given) => {
      body = given;
      return server.add("made", { name: "Made" }).id;
    };
    const links = page.getByRole("navigation").getByRole("link");
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual([
      expect.stringMatching(/^First\n.*working/s),
      expect.stringMatching(/^Why <b>\?\n.*2 questions.*interrupted/s),
    ]);
    await links.nth(1).click();
    await page.locator("article.user").getByText("Why <b>?").waitFor();
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Folder").fill("/work/app");
    await page.getByLabel("Model").last().fill("demo/tour");
    await page.getByRole("button", { name: "OK" }).click();
    await page.getByRole("heading", { name: "Session", exact: true }).waitFor();
    await links.filter({ hasText: "Made" }).waitFor();
    expect(body).toEqual({ cwd: "/work/app", model: "demo/tour" });
  });

  test("an error of the server is shown, and an unknown session does not end the page", async () => {
    const { page } = await visit({ fragment: (token) => `#token=${token}&session=gone` });
    const notice = page.locator(".notice", { hasText: "The server has no session of this id." });
    await notice.waitFor();
    await page.getByRole("link", { name: /First/ }).click();
    await notice.waitFor({ state: "detached" });
    await field(page).waitFor();
  });
});

describe.skipIf(!hasBrowser)("an aborted answer in a browser (needs chromium)", () => {
  test("the Stop button ends the run, and the answer says so", async () => {
    const { server, page } = await visit();
    const session = sessionOf(server);
    await session.sent("get_messages");
    const message = answer([{ type: "text", text: "So far" }], { stopReason: "aborted", errorMessage: "Aborted by the user" });
    session.on("abort", () => session.emit(end(message), { type: "agent_settled" }));
    session.emit({ type: "agent_start" }, ...whole(prompt("Go")), start(message));
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Aborted by the user").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  });
});
