import { spawn } from "node:child_process";
import { appendFile, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { anthropic, keepOpen, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { complete, createScriptedModel, type Model, record, registerApi, replay, stream } from "../../src/index.ts";
import { conversation, user } from "../helpers/messages.ts";
import { testModel } from "../helpers/models.ts";
import { hello, wires } from "../helpers/wires.ts";
import { freshFile, readLines } from "./recordings.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

function liveModel(overrides: Partial<Model> = {}): Model {
  return testModel("anthropic-messages", server.url, overrides);
}

describe("a recording", () => {
  test("holds the request, the wire events with their times, and the end, one JSON object a line", async () => {
    const file = await freshFile();
    server.respond(anthropic.text("Hi there"));
    await complete(await record(liveModel(), file), { messages: conversation(liveModel()), systemPrompt: "Be brief." });
    const lines = await readLines(file);
    expect(lines.map((line) => line.type)).toEqual(["recording", "request", "response", ...Array(7).fill("event"), "end"]);
    expect(lines[0]).toEqual({ type: "recording", version: 1 });
    const { headers: _none, ...model } = liveModel();
    expect(lines[1]).toEqual({
      type: "request",
      stream: 1,
      model,
      tools: [],
      kept: 0,
      messages: [
        { role: "user", text: "Compare a and b" },
        {
          role: "assistant",
          text: "Reading",
          toolCalls: [
            { name: "read", arguments: { path: "a" } },
            { name: "read", arguments: { path: "b" } },
          ],
        },
        { role: "toolResult", text: "alpha" },
        { role: "toolResult", text: "no such file" },
        { role: "user", text: "Go on" },
      ],
    });
    expect(lines[2]).toEqual({
      type: "response",
      stream: 1,
      ms: expect.any(Number),
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
    expect(lines[5]).toEqual({
      type: "event",
      stream: 1,
      ms: expect.any(Number),
      event: "content_block_delta",
      data: '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}',
    });
    expect(lines.at(-1)).toEqual({ type: "end", stream: 1, ms: expect.any(Number), stopReason: "stop" });
    const times = lines.flatMap((line) => ("ms" in line ? [line.ms] : []));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test("tells of a growing conversation only what is new", async () => {
    const file = await freshFile();
    const model = await record(liveModel(), file);
    const messages = conversation(model);
    server.respond(anthropic.text("One"), anthropic.text("Two"), anthropic.text("Three"));
    await complete(model, { messages });
    await complete(model, { messages: [...messages, user("More")] });
    await complete(model, hello);
    const requests = (await readLines(file)).filter((line) => line.type === "request");
    expect(requests.map(({ kept, messages }) => [kept, messages.length])).toEqual([
      [0, 5],
      [5, 1],
      [0, 1],
    ]);
    const replayed = await replay(file);
    for (const context of [{ messages }, { messages: [...messages, user("More")] }, hello]) {
      expect((await complete(replayed, context)).stopReason).toBe("stop");
    }
  });

  test("can be read by its owner only, also when it was there before", async () => {
    const fresh = await freshFile();
    await record(liveModel(), fresh);
    expect((await stat(fresh)).mode & 0o777).toBe(0o600);
    const old = await freshFile();
    await writeFile(old, '{"type":"recording","version":1}\n', { mode: 0o644 });
    await record(liveModel(), old);
    expect((await stat(old)).mode & 0o777).toBe(0o600);
  });

  test.each(wires)("of $api holds no credential, whoever repeats it", async ({ api, wire }) => {
    const file = await freshFile();
    const baseUrl = `${server.url}/?key=in-the-5ecret-query`;
    const model = await record(
      testModel(api, api === "google-generative-ai" ? server.url : baseUrl, { headers: { "x-team-token": "team-5ecret" } }),
      file,
    );
    const key = "key-5ecret-1234";
    const echo = { text: ["Your key is key-5e", "cret-1234, your token team-5ecret"] };
    server.respond(wire.answer([echo]), wire.error(401, `no such key: ${key}`));
    const context = { messages: [user(`My key is ${key}`)] };
    const options = { apiKey: key, headers: { "Proxy-Authorization": "Basic proxy-5ecret" } };
    expect(JSON.stringify(await complete(model, context, options))).toContain("team-5ecret");
    await complete(model, context, options);
    const text = await readFile(file, "utf8");
    expect(text).not.toContain("5ecret");
    expect(text).toContain("Your key is <key>");
    expect(text).not.toMatch(/authorization|x-team|x-api-key/i);
  });

  test("is appended to by later models and runs", async () => {
    const file = await freshFile();
    for (const text of ["One", "Two"]) {
      server.respond(anthropic.text(text));
      await complete(await record(liveModel(), file), hello);
    }
    const replayed = await replay(file);
    expect((await complete(replayed, hello)).content).toEqual([{ type: "text", text: "One" }]);
    expect((await complete(replayed, hello)).content).toEqual([{ type: "text", text: "Two" }]);
  });

  test("keeps answers apart that come at the same time", async () => {
    const file = await freshFile();
    const model = await record(liveModel(), file);
    const gate = Promise.withResolvers<void>();
    const whole = anthropic.text("slow one");
    const steps = whole.steps ?? [];
    server.respond({ ...whole, steps: [...steps.slice(0, 3), gate.promise, ...steps.slice(3)] }, anthropic.text("quick one"));
    const slow = stream(model, hello);
    for await (const { type } of slow) {
      if (type !== "text_delta") continue;
      await complete(model, { messages: [user("quick")] });
      gate.resolve();
    }
    const replayed = await replay(file);
    expect((await complete(replayed, hello)).content).toEqual([{ type: "text", text: "slow one" }]);
    expect((await complete(replayed, { messages: [user("quick")] })).content).toEqual([{ type: "text", text: "quick one" }]);
  });

  test("survives a line that a crash cut short: it is read without it, and goes on after it", async () => {
    const file = await freshFile();
    server.respond(anthropic.text("One"), anthropic.text("Two"));
    await complete(await record(liveModel(), file), hello);
    await appendFile(file, '{"type":"request","stre');
    expect((await complete(await replay(file), hello)).stopReason).toBe("stop");
    await complete(await record(liveModel(), file), hello);
    const replayed = await replay(file);
    expect((await complete(replayed, hello)).content).toEqual([{ type: "text", text: "One" }]);
    expect((await complete(replayed, hello)).content).toEqual([{ type: "text", text: "Two" }]);
  });

  test("says that an answer was aborted as soon as it was, before the adapter has let go of its connection", async () => {
    const file = await freshFile();
    const model = await record(liveModel(), file);
    const neverAnswered = Promise.withResolvers<Response>();
    const controller = new AbortController();
    const answer = stream(model, hello, {
      signal: controller.signal,
      fetch: () => {
        setImmediate(() => controller.abort());
        return neverAnswered.promise;
      },
    });
    expect((await answer.result()).stopReason).toBe("aborted");
    expect((await readLines(file)).at(-1)).toMatchObject({ type: "end", stopReason: "aborted", error: { code: "aborted" } });
    expect((await complete(await replay(file), hello)).stopReason).toBe("aborted");
  });

  test("is readable up to the event at which the process was killed", async () => {
    const file = await freshFile();
    server.respond(anthropic.answer([{ text: ["Half ", "an"] }], { ending: [keepOpen] }));
    const program = fileURLToPath(new URL("fixtures/record-and-wait.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=pikit-source", program, server.url, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const dead = new Promise((resolve) => child.once("close", resolve));
    let said = "";
    for await (const chunk of child.stdout) {
      said += String(chunk);
      if (said.includes("an\n")) child.kill("SIGKILL");
    }
    await dead;
    const answer = stream(await replay(file), hello);
    expect(await answer.result()).toMatchObject({ stopReason: "error", content: [{ type: "text", text: "Half an" }] });
    expect(answer.failure).toMatchObject({
      retryable: false,
      message: "The answer in line 2 of run.jsonl is not complete: the process that recorded it was killed. Record it again.",
    });
  });

  test("names its working folder nowhere, also where the model wrote it in pieces, and fits another one", async () => {
    const file = await freshFile();
    const folder = join(dirname(file), "real");
    await mkdir(folder);
    const link = join(dirname(file), "link");
    await symlink(folder, link);
    const args = JSON.stringify({ path: `${link}/a.txt` });
    server.respond(anthropic.answer([{ text: `In ${link}` }, { toolCall: "read", deltas: args.match(/.{1,4}/g) ?? [] }]));
    const context = { messages: [user(`Look into ${link} or ${folder}`)] };
    const live = await complete(await record(liveModel(), file, { cwd: link }), context);
    expect(await readFile(file, "utf8")).not.toContain(dirname(file));

    const again = await complete(await replay(file, { cwd: link }), context);
    expect(again.content).toEqual(live.content);
    const elsewhere = await complete(await replay(file, { cwd: "/else/where" }), {
      messages: [user("Look into /else/where or /else/where")],
    });
    expect(elsewhere.content).toEqual([
      { type: "text", text: "In /else/where" },
      { type: "toolCall", id: "toolu_2", name: "read", arguments: { path: "/else/where/a.txt" } },
    ]);
  });
});

describe("record refuses", () => {
  test("a file that is something else, and leaves it as it is", async () => {
    const file = await freshFile("notes.txt");
    await writeFile(file, "Dear diary");
    await expect(record(liveModel(), file)).rejects.toThrow(
      `${file} is not a recording: its first line is not {"type":"recording",…}. Choose another file.`,
    );
    expect(await readFile(file, "utf8")).toBe("Dear diary");
  });

  test("a recording of another version", async () => {
    const file = await freshFile();
    await writeFile(file, '{"type":"recording","version":2}\n');
    await expect(record(liveModel(), file)).rejects.toThrow("version 2, but this program reads version 1. Record it again.");
  });

  test("a path that cannot be written", async () => {
    const file = join(await freshFile(), "deeper.jsonl");
    await expect(record(liveModel(), file)).rejects.toThrow(
      `Cannot write the recording ${file}: ENOENT. Choose a file that can be written.`,
    );
    await expect(record(liveModel(), dirname(dirname(file)))).rejects.toThrow("EISDIR");
  });

  test("models that ask nobody, and models that are recorded or replayed already", async () => {
    const file = await freshFile();
    await expect(record(createScriptedModel({ script: [] }), file)).rejects.toThrow(
      "script/scripted plays a script and uses no provider, so there is nothing to record. Choose another model.",
    );
    const model = await record(liveModel(), file);
    await expect(record({ ...model, id: "copy" }, `${file}2`)).rejects.toThrow(`test/copy is already recorded in ${file}.`);
    expect(await record(model, file)).toBe(model);
    server.respond(anthropic.text("Hi"));
    await complete(model, hello);
    await expect(record(await replay(file), file)).rejects.toThrow("test/test-model already plays a recording.");
  });
});

test("a recording that vanished is begun anew, and one that cannot be written any more fails the call before it is sent", async () => {
  const file = await freshFile();
  const model = await record(liveModel(), file);
  const { rm } = await import("node:fs/promises");
  await rm(file);
  server.respond(anthropic.text("Hi"));
  await complete(model, hello);
  expect((await complete(await replay(file), hello)).stopReason).toBe("stop");
  await rm(dirname(file), { recursive: true });
  const answer = stream(model, hello);
  expect((await answer.result()).errorMessage).toBe(
    `Cannot write the recording ${file}: ENOENT. Choose a file that can be written.`,
  );
  expect(server.requests).toHaveLength(1);
});

test("replay refuses a missing file, a broken line, and a recording without answers", async () => {
  const file = await freshFile();
  await expect(replay(file)).rejects.toThrow(`Cannot read the recording ${file}: ENOENT. Make one with record() or pi --record.`);
  await record(liveModel(), file);
  await expect(replay(file)).rejects.toThrow(`${file} holds no answer. Record a run that calls a model.`);
  await appendFile(file, "oops\n");
  await expect(replay(file)).rejects.toThrow(`${file}:2 is not a line of a recording: `);
});

test("an api of one's own is recorded when it sends with the fetch option, and says so when it does not", async () => {
  registerApi("own", async () => async ({ model, options }, assembler) => {
    const response = model.id === "sends" ? await options.fetch?.(model.baseUrl, { method: "POST" }) : undefined;
    assembler.openText().append((await response?.text()) ?? "nothing sent");
    assembler.done("stop");
  });
  const file = await freshFile();
  server.respond({ headers: { "content-type": "application/json" }, body: '"own words"' });
  for (const id of ["sends", "keeps"]) await complete(await record(testModel("own", server.url, { id }), file), hello);
  const [sends, keeps] = (await replay(file)).recordedModels as [Model, Model];
  expect((await complete(sends, hello)).content).toEqual([{ type: "text", text: '"own words"' }]);
  expect((await complete(keeps, hello)).errorMessage).toMatch(
    /was recorded without its response, because its api does not use the fetch option\.$/,
  );
});
