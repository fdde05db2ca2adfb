import { readFile } from "node:fs/promises";
import { Value } from "@sinclair/typebox/value";
import { expect, test } from "vitest";
import { SettingsSchema } from "../../src/config/settings.ts";
import { describeUnknownEvent, eventNames } from "../../src/extensions/event-names.ts";
import { events as protocolEvents } from "../../src/protocol/events.ts";
import { absentUser } from "../../src/user-interface.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

async function blocks(document: string, language: string): Promise<string[]> {
  const text = await readFile(new URL(`../../../../docs/${document}`, import.meta.url), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
}

test("the extensions of docs/extensions.md load and do what they promise", async () => {
  const sources = await blocks("extensions.md", "ts");
  expect(sources).toHaveLength(3);
  const paths = await Promise.all(sources.map((source, index) => workspace.write(`example-${index}.ts`, source)));
  const told: string[] = [];
  const script = await workspace.script(
    { toolCalls: [{ name: "note", arguments: { text: "Buy milk" } }] },
    { toolCalls: [{ name: "note", arguments: { text: " " } }] },
    { toolCalls: [{ name: "bash", arguments: { command: "git push" } }] },
    { text: "Done." },
  );
  const { session, events } = await openSession(workspace, {
    model: script,
    extensions: paths,
    session: "memory",
    user: { ...absentUser, notify: (message) => void told.push(message) },
    onProblem: (problem) => expect.fail(problem),
  });
  expect(await session.models.find("house", "butler")).toMatchObject({ api: "openai-completions", contextWindow: 32_000 });
  await session.prompt("/notes");
  await session.prompt("Go");
  await session.prompt("/notes");
  expect(told).toEqual(["No notes.", "Buy milk"]);
  expect(events.flatMap((event) => (event.type === "tool_execution_end" ? [event.result.content[0]] : []))).toEqual([
    { type: "text", text: "1 notes." },
    { type: "text", text: "The note is empty. Say what to keep." },
    { type: "text", text: "The user does not want to push now." },
  ]);
  expect(events.filter(({ type }) => type === "extension_error")).toEqual([]);
});

test("the settings of docs/settings.md are valid, and every key is explained there", async () => {
  const [settings = "{}"] = await blocks("settings.md", "json");
  expect([...Value.Errors(SettingsSchema, JSON.parse(settings))]).toEqual([]);
  expect(Object.keys(JSON.parse(settings)).filter((key) => !(key in SettingsSchema.properties))).toEqual([]);
  const text = await readFile(new URL("../../../../docs/settings.md", import.meta.url), "utf8");
  expect(Object.keys(SettingsSchema.properties).filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

test("docs/extensions.md names every event and every member of the interface, and no event that does not exist", async () => {
  const text = await readFile(new URL("../../../../docs/extensions.md", import.meta.url), "utf8");
  const members: string[] = [];
  await openSession(workspace, {
    session: "memory",
    extensions: [
      (pi) => {
        members.push(...Object.keys(pi));
        pi.registerCommand("look", { handler: () => {} });
        pi.on("session_start", (_event, context) => {
          members.push(...Object.getOwnPropertyNames(Object.getPrototypeOf(context)));
        });
      },
    ],
  });
  expect(members.length).toBeGreaterThan(40);
  expect(members.filter((name) => !["on", "constructor"].includes(name) && !text.includes(`\`${name}`))).toEqual([]);
  // Those of the protocol are listed in docs/rpc.md.
  const ofSession = new Set(Object.keys(protocolEvents));
  const missing = eventNames.filter((name) => !ofSession.has(name) && !text.includes(`\`${name}\``));
  expect(missing).toEqual([]);
  const named = [...text.matchAll(/^\| ((?:`[a-z]+_[a-z_]+`(?:, )?)+)[^|]*\| (?!never)/gm)].flatMap(
    (row) => row[1]?.match(/`[a-z_]+`/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.map((name) => name.slice(1, -1)).filter((name) => describeUnknownEvent(name) !== undefined)).toEqual([]);
});
