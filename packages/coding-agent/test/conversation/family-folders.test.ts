import { readFile } from "node:fs/promises";
import { openai } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { openSession } from "../helpers/sessions.ts";
import { readLines, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const timestamp = "2026-01-02T03:04:05.678Z";
const text = (content: string) => [{ type: "text", text: content }];
const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost: noCost };
const answerFields = { api: "openai-completions", provider: "local-openai", model: "gpt", usage, stopReason: "stop", timestamp: 2 };
const user = (content: string) => ({ role: "user", content: text(content), timestamp: 1 });
const answer = (content: string) => ({ role: "assistant", content: text(content), ...answerFields });
const call = { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls" } };

/** The entries of a session, as the documentation of the session format has them. Each follows the one before, unless it says otherwise. */
type Entry = Record<string, unknown> & { type: string; id: string };

const common: Entry[] = [
  { type: "model_change", id: "e1", provider: "local-openai", modelId: "gpt" },
  { type: "thinking_level_change", id: "e2", thinkingLevel: "off" },
  { type: "message", id: "e3", message: user("first") },
  { type: "message", id: "e4", message: { role: "assistant", content: [...text("Let me look."), call], ...answerFields } },
  {
    ...{ type: "message", id: "e5" },
    message: { role: "toolResult", toolCallId: "call_1", toolName: "bash", content: text("a.ts"), isError: false, timestamp: 3 },
  },
  { type: "message", id: "e6", message: answer("There is a.ts.") },
  { type: "session_info", id: "e7", name: "My work" },
  {
    ...{ type: "message", id: "e8" },
    message: { role: "bashExecution", command: "pwd", output: "/", exitCode: 0, cancelled: false, truncated: false, timestamp: 4 },
  },
  { type: "label", id: "e9", targetId: "e3", label: "start" },
  { type: "custom", id: "e10", customType: "mark", data: { n: 1 } },
  { type: "custom_message", id: "e11", customType: "mark", content: "marked", display: true, details: { a: 1 } },
  { type: "message", id: "e12", message: user("left behind") },
  { type: "message", id: "e13", message: answer("Never mind.") },
  {
    type: "branch_summary",
    id: "e14",
    parentId: "e11",
    fromId: "e13",
    summary: "It was tried.",
    details: { readFiles: [] },
    usage,
  },
  { type: "message", id: "e15", message: user("second") },
  { type: "message", id: "e16", message: answer("Done.") },
];

const folders: Record<string, Entry[]> = {
  "0.73": [
    ...common,
    { type: "compaction", id: "e17", summary: "The story so far.", firstKeptEntryId: "e15", tokensBefore: 50, fromHook: false },
    { type: "message", id: "e18", message: user("third") },
    { type: "message", id: "e19", message: answer("Third answer.") },
  ],
  "0.87": [
    ...common.slice(0, 2),
    {
      ...{ type: "message", id: "s1" },
      message: { role: "system", content: "", sections: { preamble: "SECRET PREAMBLE" }, toolsAdded: [], timestamp: 1 },
    },
    ...common.slice(2),
    { type: "usage", id: "s2", kind: "cache_warm", provider: "local-openai", model: "gpt", usage },
    {
      ...{ type: "compaction", id: "e17", summary: "The story so far.", firstKeptEntryId: "e15", tokensBefore: 50 },
      systemMessage: { role: "system", content: "SECRET PREAMBLE", timestamp: 1 },
    },
    { type: "message", id: "e18", message: user("third") },
    { type: "message", id: "e19", message: answer("Third answer.") },
    { type: "message", id: "s3", message: user("to be left out") },
    { type: "message", id: "s4", message: answer("A long answer.") },
    { type: "context_edit", id: "s5", targetId: "s3", replacement: "an edit that a later one replaces" },
    { type: "context_edit", id: "s6", targetId: "s3", replacement: null },
    { type: "context_edit", id: "s7", targetId: "s4", replacement: "Short." },
  ],
};

/** What the model gets of each, after the system prompt. */
const contexts: Record<string, string[]> = {
  "0.73": ["The story so far.", "second", "Done.", "third", "Third answer.", "And now?"],
  "0.87": ["The story so far.", "second", "Done.", "third", "Third answer.", "Short.", "And now?"],
};

function hasRole(message: unknown, role: string): boolean {
  return typeof message === "object" && message !== null && (message as { role?: unknown }).role === role;
}

async function writeFolder(version: string): Promise<{ path: string; lines: string }> {
  let parentId: string | null = null;
  const entries = (folders[version] ?? []).map((entry) => {
    const line = { parentId, timestamp, ...entry };
    parentId = entry.id;
    return line;
  });
  const header = { type: "session", version: 3, id: "01964c1f-0000-7000-8000-000000000000", timestamp, cwd: workspace.cwd };
  const lines = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
  const folder = `--${workspace.cwd.slice(1).replaceAll("/", "-")}--`;
  const path = await workspace.write(`agent/sessions/${folder}/2026-01-02T03-04-05-678Z_${header.id}.jsonl`, lines);
  await workspace.write("agent/settings.json", { lastChangelogVersion: version, quietStartup: true, theme: "dark" });
  await workspace.write("agent/auth.json", { anthropic: { type: "oauth", access: "a", refresh: "r", expires: 1 } });
  return { path, lines };
}

describe.each(["0.73", "0.87"])("an agent folder of version %s", (version) => {
  test("its latest session goes on where it was, and its lines stay as they were", async () => {
    const server = await serveModels(workspace);
    server.respond(openai.text("Now it is."));
    const { path, lines } = await writeFolder(version);
    const result = await runCli(workspace, ["-p", "--continue", "And now?"]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "Now it is.\n", stderr: "" });
    const { messages = [] } = (server.requests[0]?.body ?? {}) as { messages?: unknown[] };
    const [system, ...others] = messages.map((message) => JSON.stringify(message));
    expect(system).not.toContain("SECRET PREAMBLE");
    expect(others).toEqual((contexts[version] ?? []).map((part) => expect.stringContaining(part)));
    const after = await readFile(path, "utf8");
    expect(after.startsWith(lines)).toBe(true);
    // Related programs read what was added: entries of their format, in the tree that they have.
    const added = (await readLines(path)).slice(lines.trimEnd().split("\n").length);
    expect(added).toMatchObject([
      { type: "message", parentId: folders[version]?.at(-1)?.id, message: { role: "user", content: "And now?" } },
      { type: "message", message: { role: "assistant", api: "openai-completions", stopReason: "stop" } },
    ]);
    expect(JSON.parse(await readFile(`${workspace.agentDir}/settings.json`, "utf8"))).toHaveProperty(
      "lastChangelogVersion",
      version,
    );
    expect(await readFile(`${workspace.agentDir}/auth.json`, "utf8")).toContain("oauth");
  });

  test("name, label, branches and numbers are there; the system prompt of the other program is no message", async () => {
    await serveModels(workspace);
    await writeFolder(version);
    const { session } = await openSession(workspace, { session: "continue" });
    expect(session.history.name).toBe("My work");
    expect(session.state().model).toMatchObject({ provider: "local-openai", id: "gpt" });
    expect(session.messages.map(({ role }): string => role)).not.toContain("system");
    const stats = session.stats();
    const answers = (folders[version] ?? []).filter(({ message }) => hasRole(message, "assistant")).length;
    const others = version === "0.87" ? 2 : 1; // with the summary of a branch, and a call that is no message
    expect(stats).toMatchObject({ assistantMessages: answers, toolCalls: 1, toolResults: 1, cost: (answers + others) * 0.5 });
    await session.history.goTo("e13");
    expect(JSON.stringify(session.messages)).toContain("left behind");
  });

  test("a fork keeps the entries, and the page of the session shows them", async () => {
    await serveModels(workspace);
    const { path } = await writeFolder(version);
    const forked = await openSession(workspace, { session: { fork: path } });
    await forked.session.history.setName("Copy");
    await forked.session.dispose();
    const copy = (await workspace.sessionFiles()).find((file) => file !== path) ?? "";
    const [header, ...entries] = await readLines(copy);
    expect(header).toMatchObject({ type: "session", version: 3, parentSession: path });
    const ids = entries.map(({ id }) => id);
    for (const { id } of folders[version] ?? []) expect(ids.includes(id)).toBe(id !== "e12" && id !== "e13");
    const page = await runCli(workspace, ["--export", path, "page.html"]);
    expect(page).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await readFile(`${workspace.cwd}/page.html`, "utf8")).toContain("The story so far.");
  });
});
