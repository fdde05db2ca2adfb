import { expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { type ChatClient, calls, connectChat, playChat, priced } from "./chat-client.ts";

const workspace = useWorkspace();

/** Compares the whole transcript with the file; what differs from run to run has a name in its place. `vitest -u` writes the files. */
async function expectTranscript(client: ChatClient, name: string): Promise<void> {
  const ids = new Map<string, string>();
  const text = client.transcript
    .join("\n")
    .replaceAll(workspace.root, "<root>")
    .replace(/"tool_call_id":"([^"]+)"/g, (_match, id: string) => {
      if (!ids.has(id)) ids.set(id, `call-${ids.size + 1}`);
      return `"tool_call_id":"${ids.get(id)}"`;
    })
    .replace(/"task_id":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"task_id":"<uuid>"')
    .replace(/"duration_ms":\d+/g, '"duration_ms":<ms>')
    .replace(/"port":\d+/g, '"port":<port>')
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
}

test("a plain chat", async () => {
  const client = playChat(workspace, [{ text: "Hello, how can I help?", deltas: ["Hello,", " how can", " I help?"] }]);
  await client.chat({ message: "Hi" });
  await expectTranscript(client, "plain-chat");
});

test("tools: files, a command on both streams, a plan", async () => {
  await workspace.write("work/notes.txt", "one\ntwo\n");
  const plan = (...statuses: string[]) =>
    calls([
      "todo",
      { phases: [{ name: "Work", tasks: ["Read", "Report"].map((content, n) => ({ content, status: statuses[n] })) }] },
    ]);
  const client = playChat(workspace, [
    { text: "First a plan.", deltas: 1, ...plan("in_progress", "pending") },
    // A command among the calls makes all of them run in order; two calls of read alone would end in any order.
    calls(["read", { path: "notes.txt" }], ["read", { path: "gone.txt" }], ["bash", { command: "wc -l < notes.txt" }]),
    plan("completed", "in_progress"),
    calls(["bash", { command: "echo no >&2; exit 3" }]),
    plan("completed", "completed"),
    { text: "Two lines.", deltas: 1 },
  ]);
  await client.chat({ message: "Count" });
  await expectTranscript(client, "tools");
});

const risky = [calls(["bash", { command: "rm -rf data && echo gone" }]), { text: "Done.", deltas: 1 }];

test("a risky command that is approved", async () => {
  await workspace.write("work/data/x", "");
  const client = playChat(workspace, risky);
  client.send("agent_chat", { message: "Clean up" });
  await client.waitFor("confirmation_request");
  client.send("confirm", { approved: true });
  await client.waitForEnd();
  await expectTranscript(client, "approved-command");
});

test("a risky command that is refused", async () => {
  await workspace.write("work/data/x", "");
  const client = playChat(workspace, risky);
  client.send("agent_chat", { message: "Clean up" });
  await client.waitFor("confirmation_request");
  client.send("confirm", { approved: false });
  await client.waitForEnd();
  await expectTranscript(client, "refused-command");
});

const stuck = [1, 2, 3].map(() => calls(["ls", {}]));

test("a clarification that is answered with continue and a hint", async () => {
  const client = playChat(workspace, [...stuck, { text: "Found it.", deltas: 1 }]);
  client.send("agent_chat", { message: "Find it" });
  await client.waitFor("clarification_request");
  client.send("clarify", { action: "continue", hint: "Look in src" });
  await client.waitForEnd();
  await expectTranscript(client, "clarification-continue");
});

test("a clarification that is answered with stop", async () => {
  const client = playChat(workspace, [{ text: "Looking.", deltas: 1, ...stuck[0] }, ...stuck.slice(1)]);
  client.send("agent_chat", { message: "Find it" });
  await client.waitFor("clarification_request");
  client.send("clarify", { action: "stop" });
  await client.waitForEnd();
  await expectTranscript(client, "clarification-stop");
});

test("a preview that is served and stopped, and one that cannot be", async () => {
  await workspace.write("work/dist/index.html", "<h1>Hello</h1>");
  const client = playChat(workspace, [
    calls(["preview", { path: "dist" }]),
    calls(["preview", { path: ".." }]),
    calls(["preview", { stop: true }]),
    { text: "That was it.", deltas: 1 },
  ]);
  await client.chat({ message: "Show it" });
  await expectTranscript(client, "preview");
});

test("a sub-task that is done, and one that fails", async () => {
  const model = priced([
    calls(["delegate", { task: "Count the files", tools: ["ls"] }]),
    calls(["ls", {}]),
    { text: "There are none.", deltas: 1 },
    calls(["delegate", { task: "Fail" }]),
    { error: { status: 400, message: "no such thing" } },
    { text: "None, and one failure.", deltas: 1 },
  ]);
  const client = connectChat(workspace, { model });
  await client.chat({ message: "Count them" });
  await expectTranscript(client, "delegate");
});

test("a provider failure in the middle of an answer, and the chat after it", async () => {
  const client = playChat(workspace, [
    { text: "Half an", deltas: 1, error: { status: 400, message: "the model is gone" } },
    { text: "It is back.", deltas: 1 },
  ]);
  await client.chat({ message: "Hi" });
  await client.chat({ message: "Again" });
  await expectTranscript(client, "provider-failure");
});

test("a conversation that goes on under its key after a restart", async () => {
  const first = playChat(workspace, [{ text: "I will remember 42.", deltas: 1 }]);
  await first.chat({ message: "Remember 42", session_key: "customer 7" });
  await first.server.close();
  const model = priced([]);
  model.script = ({ messages }) => ({ text: `I have read ${JSON.stringify(messages.map(({ content }) => content))}`, deltas: 1 });
  const second = connectChat(workspace, { model });
  second.transcript.push(...first.transcript, "(another process)");
  await second.chat({ message: "What was it?", session_key: "customer 7" });
  await second.chat({ message: "And you?", session_key: "customer 8" });
  await expectTranscript(second, "resume-by-key");
});
