import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { RpcClient, type RpcEvent } from "../../src/index.ts";
import { CuttingProxy } from "../helpers/cutting-proxy.ts";
import { type Served, type StoredMessage, serve } from "../helpers/served.ts";

/** Cuts of each client. */
const cuts = process.env.PIKIT_LONG === "1" ? 2000 : 20;
/** The example waits before each new connection, so the same number would take minutes. */
const exampleCuts = Math.min(cuts, 500);
/** Bytes of a connection after which it is cut at the latest. */
const mostBytes = 6000;
const mostPrompts = cuts * 2;
const words = "Ünder the bridge 🌉 of words — one, two; three \u2028 four ".repeat(6);

/** Each prompt brings a command that needs an approval, a call of a tool of the client, and a text. */
function answersOf(prompts: number): object[] {
  return Array.from({ length: prompts }, (_, index) => [
    {
      text: `Work ${index}.`,
      toolCalls: [
        { name: "bash", arguments: { command: `rm -rf no-such-folder-${index}; echo ${index} >> done.txt` } },
        { name: "stock", arguments: { item: index } },
      ],
    },
    { text: `${words}${index}` },
  ]).flat();
}

const isDelta = (event: { type: string }) => event.type === "message_update";

/** The texts of the answers, rebuilt from their deltas. */
class Texts {
  readonly all: string[] = [];

  add(event: { type: string; message?: unknown; assistantMessageEvent?: unknown }): void {
    if (event.type === "message_start" && (event.message as StoredMessage).role === "assistant") this.all.push("");
    const step = event.assistantMessageEvent as { type: string; delta: string } | undefined;
    if (isDelta(event) && step?.type === "text_delta") this.all.push((this.all.pop() ?? "") + step.delta);
  }
}

function textOf({ content }: StoredMessage): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

const textsOf = (messages: StoredMessage[], role: string) => messages.filter((message) => message.role === role).map(textOf);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const linesOf = (served: Served) => readFileSync(`${served.work}/done.txt`, "utf8").trimEnd().split("\n");

async function begin(served: Served, tools: readonly string[] = ["bash"]): Promise<RpcClient> {
  const create = { model: served.script(answersOf(mostPrompts)), approval: "on-risk", tools: [...tools] as "bash"[] } as const;
  return await RpcClient.connect(served.url, { token: served.token, create });
}

/** A reader of the events that knows nothing but the standard of server-sent events. Returns what it has seen when `isOver` says so. */
async function readEvents(url: string, token: string, isOver: (frame: Frame) => boolean): Promise<Frame[]> {
  const frames: Frame[] = [];
  let lastId = "";
  for (;;) {
    try {
      const headers = { authorization: `Bearer ${token}`, ...(lastId === "" ? {} : { "last-event-id": lastId }) };
      const response = await fetch(url, { headers });
      let text = "";
      const utf8 = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        text += utf8.decode(chunk, { stream: true });
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId;
          if (data === undefined) continue;
          const frame = JSON.parse(data) as Frame;
          frames.push(frame);
          if (isOver(frame)) return frames;
        }
      }
    } catch {
      // The connection was cut.
    }
  }
}

interface Frame {
  type: string;
  seq?: number;
  again?: boolean;
  [field: string]: unknown;
}

test(`${cuts} cuts of a WebSocket: text, events, commands and questions as without any; a reader of the events is cut too`, async () => {
  const served = await serve();
  await using direct = await begin(served);
  const { sessionId } = await direct.getState();
  const way = await CuttingProxy.start(served.url, 1, mostBytes);
  const readersWay = await CuttingProxy.start(served.url, 2, mostBytes);
  await using client = await RpcClient.connect(way.url, { token: served.token, sessionId, reconnectDelayMs: 1 });
  const asked: string[] = [];
  const called: unknown[] = [];
  client.onConfirm(({ title, message }) => {
    asked.push(/no-such-folder-\d+/.exec(`${title} ${message}`)?.[0] ?? "");
    return true;
  });
  const texts = new Texts();
  const events: RpcEvent[] = [];
  client.onEvent((event) => {
    texts.add(event);
    if (!isDelta(event)) events.push(event);
  });
  await client.setTools([
    {
      name: "stock",
      description: "",
      parameters: { type: "object", properties: { item: { type: "number" } } },
      execute: ({ item }) => {
        called.push(item);
        return `${item} pieces`;
      },
    },
  ]);
  const url = `${readersWay.url}/v1/sessions/${sessionId}/events`;
  const reading = readEvents(url, served.token, ({ type, name }) => type === "session_info_changed" && name === "over");
  let prompts = 0;
  for (; way.cuts < cuts && prompts < mostPrompts; prompts += 1) {
    const messages = await client.promptAndWait(`Prompt ${prompts}`);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
    const { output } = await client.bash(`echo user ${prompts} >> done.txt; echo ${prompts}`, { excludeFromContext: true });
    expect(output.trim()).toBe(`${prompts}`);
  }
  readersWay.isCutting = false;
  await direct.setSessionName("over");
  const frames = await reading;
  way.isCutting = false;
  const stored = served.messages(sessionId);
  expect(way.cuts).toBeGreaterThanOrEqual(cuts);
  expect(texts.all).toEqual(textsOf(stored, "assistant"));
  expect(textsOf(stored, "user")).toEqual(numbers(prompts).map((index) => `Prompt ${index}`));
  expect(asked).toEqual(numbers(prompts).map((index) => `no-such-folder-${index}`));
  expect(called).toEqual(numbers(prompts));
  expect(linesOf(served)).toEqual(numbers(prompts).flatMap((index) => [`${index}`, `user ${index}`]));
  expect(events.filter(({ type }) => type === "resync")).toMatchObject([{ reason: "start" }]);
  expect(events.filter(({ type }) => type === "agent_settled")).toHaveLength(prompts);

  // The other reader has seen each number once.
  const seen = frames.flatMap(({ type, seq, again }) => (type === "ready" || type === "resync" || again ? [] : [seq]));
  expect(readersWay.cuts).toBeGreaterThan(0);
  expect(seen).toEqual(numbers(seen.length).map((index) => index + (seen[0] ?? 0)));
  const read = new Texts();
  for (const frame of frames) read.add(frame);
  expect(read.all).toEqual(textsOf(stored, "assistant"));
});

test.skipIf(!hasPython())(`${exampleCuts} cuts of the Python example`, async () => {
  const served = await serve();
  await using direct = await begin(served);
  const { sessionId } = await direct.getState();
  await direct.setTools([{ name: "stock", description: "", parameters: { type: "object" }, execute: () => "12" }]);
  const way = await CuttingProxy.start(served.url, 3, mostBytes);
  const program = fileURLToPath(new URL("../fixtures/serve-prompts.py", import.meta.url));
  const child = spawn("python3", [program, way.url, served.token, sessionId], {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  let prompts = 0;
  for await (const chunk of child.stdout) {
    output += String(chunk);
    // It asks for permission before each prompt.
    for (; output.split("next\n").length - 1 > prompts; prompts += 1) {
      if (way.cuts < exampleCuts && prompts < mostPrompts) child.stdin.write("go\n");
      else child.stdin.end();
    }
  }
  prompts -= 1;
  const result = JSON.parse(output.split("next\n").at(-1) ?? "") as { texts: string[]; asked: string[] };
  const stored = served.messages(sessionId);
  expect(way.cuts).toBeGreaterThanOrEqual(exampleCuts);
  expect(result.texts).toEqual(textsOf(stored, "assistant"));
  expect(textsOf(stored, "user")).toEqual(numbers(prompts).map((index) => `Prompt ${index}`));
  expect(result.asked.map((text) => /no-such-folder-\d+/.exec(text)?.[0])).toEqual(
    numbers(prompts).map((index) => `no-such-folder-${index}`),
  );
  expect(linesOf(served)).toEqual(numbers(prompts).flatMap((index) => [`${index}`, `user ${index}`]));
});

function hasPython(): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      readFileSync(`${folder}/python3`);
      return true;
    } catch {
      return false;
    }
  });
}
