import type { Message } from "@pikit/ai";
import { expect, test } from "vitest";
import type { AgentMessage } from "../src/index.ts";
import { createScriptedAgent } from "./helpers/scripted-agent.ts";

/** A message of a role that is not declared here, as a layer above would add it. */
function createNote(text: string): AgentMessage {
  return { role: "note", text } as unknown as AgentMessage;
}

const note = createNote("remember");

/** An agent that has a note in its transcript, and what its model was sent. */
function createNotingAgent(toModelMessages?: (messages: readonly AgentMessage[]) => Message[]) {
  const seen: Message[][] = [];
  const { agent } = createScriptedAgent(
    (context) => {
      seen.push(structuredClone([...context.messages]));
      return { text: "ok" };
    },
    { messages: [note], ...(toModelMessages ? { toModelMessages } : {}) },
  );
  return { agent, seen };
}

test("AG-022 messages of other roles stay in the transcript and are not sent", async () => {
  const { agent, seen } = createNotingAgent();
  await agent.prompt({ role: "user", content: "Go", timestamp: 0 });
  expect(seen).toEqual([[{ role: "user", content: "Go", timestamp: 0 }]]);
  expect(agent.state.messages.map(({ role }) => role)).toEqual(["note", "user", "assistant"]);
  expect(agent.state.messages[0]).toBe(note);
});

test("AG-022 an owner's conversion changes what is sent and nothing else", async () => {
  const { agent, seen } = createNotingAgent((messages) =>
    messages.flatMap((message): Message[] =>
      "text" in message ? [{ role: "user", content: `Note: ${message.text}`, timestamp: 0 }] : [message as Message],
    ),
  );
  await agent.prompt({ role: "user", content: "Go", timestamp: 0 });
  expect(seen[0]?.map(({ content }) => content)).toEqual(["Note: remember", "Go"]);
  expect(agent.state.messages.map(({ role }) => role)).toEqual(["note", "user", "assistant"]);
});

test("AG-022 a message of another role can be queued and is told of like any other", async () => {
  const { agent, seen } = createNotingAgent();
  const told: AgentMessage[] = [];
  agent.subscribe((event) => void (event.type === "message_end" && told.push(event.message)));
  agent.steer(createNote("and this"));
  await agent.run([{ role: "user", content: "Go", timestamp: 0 }]);
  expect(told.map(({ role }) => role)).toEqual(["user", "assistant", "note", "assistant"]);
  expect(seen[1]?.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("AG-024 images that steer or follow up reach the model as those of a prompt do", async () => {
  const seen: unknown[] = [];
  const { agent } = createScriptedAgent((context) => {
    seen.push(context.messages.at(-1)?.content);
    return { text: "seen" };
  });
  const withImage = (text: string, data: string): AgentMessage => ({
    role: "user",
    content: [
      { type: "text", text },
      { type: "image", data, mimeType: "image/png" },
    ],
    timestamp: 0,
  });
  const [prompt, steering, followUp] = [withImage("a", "AAAA"), withImage("b", "BBBB"), withImage("c", "CCCC")];
  agent.steer(steering);
  agent.followUp(followUp);
  await agent.run([prompt]);
  expect(seen).toEqual([prompt, steering, followUp].map((message) => "content" in message && message.content));
});
