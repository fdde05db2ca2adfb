import { createHash } from "node:crypto";
import { until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { openRecipe, startNode } from "../helpers/recipe.ts";
import { serve } from "../helpers/served.ts";

/** An element of a page with a text. */
class Element {
  textContent = "";
  readonly appended: string[] = [];
  append(...texts: string[]): void {
    this.appended.push(...texts);
    this.textContent += texts.join("");
  }
}

/** A browser of a user who has logged in: it runs the script of the page with the parts of the web platform that it uses. */
async function openBrowser(url: string, user: string) {
  const login = { "x-forwarded-user": user };
  const page = await (await fetch(url, { headers: login })).text();
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  /** Where a browser would wait for a while before it connects again. */
  let reconnect = Promise.withResolvers<void>();
  const fetchHere = (path: string, init: RequestInit) =>
    fetch(new URL(path, url), { ...init, headers: { ...init.headers, ...login, "sec-fetch-site": "same-origin" } });
  class EventSource {
    onmessage: (event: { data: string }) => void = () => {};
    lastEventId = "";

    constructor(path: string) {
      this.read(path).catch((error: unknown) => {
        if (!closing.signal.aborted) throw error;
      });
    }

    async read(path: string): Promise<void> {
      while (!closing.signal.aborted) {
        const headers = { ...login, ...(this.lastEventId && { "last-event-id": this.lastEventId }) };
        const { body } = await fetch(new URL(path, url), { headers, signal: closing.signal });
        let text = "";
        const pieces = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
        try {
          for await (const piece of pieces) {
            const events = (text + piece).split("\n\n");
            text = events.pop() ?? "";
            for (const event of events) this.#dispatch(event);
          }
        } catch {
          // The connection was cut.
        }
        await reconnect.promise;
        reconnect = Promise.withResolvers<void>();
      }
    }

    #dispatch(event: string): void {
      this.lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? this.lastEventId;
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) this.onmessage({ data });
    }
  }
  const [conversation, answer] = [new Element(), new Element()];
  const form = { question: { value: "" }, onsubmit: (_event: { preventDefault(): void }) => {}, reset: () => {} };
  const document = { querySelectorAll: () => [conversation, answer], forms: [form] };
  const script = /<script>(.*)<\/script>/s.exec(page)?.[1] ?? "";
  new Function("document", "EventSource", "fetch", script)(document, EventSource, fetchHere);
  return {
    conversation,
    answer,
    reconnect: () => reconnect.resolve(),
    submit: (question: string) => {
      form.question.value = question;
      form.onsubmit({ preventDefault: () => {} });
    },
  };
}

test("the web back end streams a conversation to each user, and misses nothing while it is restarted", async () => {
  const recipe = openRecipe("web-back-end");
  expect(recipe.blocks.map(({ language }) => language)).toEqual(["json", "", "ts", "html"]);
  const served = await serve(JSON.parse(recipe.blocks[0]?.code ?? ""));
  const program = recipe.write("ts", "server.ts");
  recipe.write("html", "page.html");
  const model = served.script([
    { toolCalls: [{ name: "read", arguments: { path: "/etc/passwd" } }] },
    { text: "One." },
    { text: "Two pieces." },
  ]);
  const startServer = async (port: string) => {
    const env = { ...recipe.env, PI_URL: served.url, PI_TOKEN_FILE: served.tokenFile, PI_MODEL: model, PORT: port };
    const server = startNode(program, [], { cwd: recipe.programs, env });
    return { ...server, url: await until("the address", () => server.stdout().trim()) };
  };
  const server = await startServer("0");
  const sessionId = `web-${createHash("sha256").update("ada").digest("hex")}`;
  const [ada, ben] = [await openBrowser(server.url, "ada"), await openBrowser(server.url, "ben")];
  ada.submit("Why?");
  await until("the answer", () => ada.conversation.textContent.includes("One."));
  const first = "\n> Why?\n\n\nOne.\n";
  expect(ada.conversation.textContent).toBe(first);

  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  const again = await startServer(new URL(server.url).port);
  ada.submit("And then?");
  await until("the second answer", () => served.messages(sessionId).length === 6);
  expect(ada.conversation.textContent).toBe(first);
  ada.reconnect();
  await until("the missed events", () => ada.conversation.textContent.endsWith("pieces.\n"));
  expect(ada.conversation.textContent).toBe(`${first}\n> And then?\n\nTwo pieces.\n`);
  expect(ada.answer.appended.join("")).toBe("One.Two pieces.");
  expect(ada.answer.textContent).toBe("");
  const reloaded = await openBrowser(server.url, "ada");
  await until("the conversation", () => reloaded.conversation.textContent === ada.conversation.textContent);
  expect(ben.conversation.textContent).toBe("");

  const post = async (headers: Record<string, string>, body: object) => {
    const all = { "x-forwarded-user": "ada", "sec-fetch-site": "same-origin", "idempotency-key": "1", ...headers };
    return (await fetch(`${server.url}/command`, { method: "POST", headers: all, body: JSON.stringify(body) })).status;
  };
  expect(await post({}, { type: "bash", command: "id" })).toBe(400);
  expect(await post({ "sec-fetch-site": "cross-site" }, { type: "abort" })).toBe(404);
  expect(await post({}, { type: "abort" })).toBe(200);
  expect((await fetch(`${server.url}/events`)).status).toBe(401);
  again.child.kill("SIGTERM");
  expect([await again.ended, server.stderr(), again.stderr()]).toEqual([0, "", ""]);
});
