import { describe, expect, test } from "vitest";
import { openSession } from "../../../helpers/sessions.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** A provider that calls a tool, and tells in its second answer what it was asked. */
const provider = `
  import { createAssistantMessageEventStream, getCurrentSystemPrompt, getCurrentTools, collapseSystemMessages } from "@earendil-works/pi-ai";

  function answer(model, context) {
    const stream = createAssistantMessageEventStream();
    const usage = { input: 5, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const message = { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, usage, stopReason: "stop", timestamp: Date.now() };
    const isFirst = !context.messages.some(({ role }) => role === "toolResult");
    void (async () => {
      stream.push({ type: "start", partial: message });
      message.content.push({ type: "thinking", thinking: "" });
      stream.push({ type: "thinking_start", contentIndex: 0, partial: message });
      message.content[0].thinking = "Hm.";
      stream.push({ type: "thinking_delta", contentIndex: 0, delta: "Hm.", partial: message });
      message.content[0].thinkingSignature = "signed";
      stream.push({ type: "thinking_end", contentIndex: 0, content: "Hm.", partial: message });
      if (isFirst) {
        message.content.push({ type: "toolCall", id: "c1", name: "bash", arguments: {} });
        stream.push({ type: "toolcall_start", contentIndex: 1, partial: message });
        const text = JSON.stringify({ command: "echo from-tool" });
        for (const delta of [text.slice(0, 9), text.slice(9)]) stream.push({ type: "toolcall_delta", contentIndex: 1, delta, partial: message });
        message.content[1].arguments = JSON.parse(text);
        stream.push({ type: "toolcall_end", contentIndex: 1, toolCall: message.content[1], partial: message });
      } else {
        const { messages } = collapseSystemMessages(context);
        const facts = [getCurrentSystemPrompt(messages) === context.systemPrompt, getCurrentTools(context.messages).map(({ name }) => name), context.messages.map(({ role }) => role)];
        const text = JSON.stringify(facts);
        message.content.push({ type: "text", text });
        stream.push({ type: "text_start", contentIndex: 1, partial: message });
        stream.push({ type: "text_delta", contentIndex: 1, delta: text, partial: message });
        stream.push({ type: "text_end", contentIndex: 1, content: text, partial: message });
      }
      message.stopReason = isFirst ? "toolUse" : "stop";
      stream.push({ type: "done", reason: message.stopReason, message });
    })();
    return stream;
  }

  export default function (pi) {
    pi.registerProvider("house", { name: "House", api: "house-api", models: [{ id: "butler" }], streamSimple: answer });
    pi.registerProvider("broken", { models: [{ id: "silent" }], streamSimple: (model) => {
      const stream = createAssistantMessageEventStream();
      stream.push({ type: "error", reason: "error", error: { role: "assistant", content: [], usage: undefined, errorMessage: "no luck today" } });
      return stream;
    } });
  }`;

describe("a provider with a function of its own", () => {
  test("answers with thinking, calls and text, and gets the prompt and the tools in both forms", async () => {
    const path = await workspace.write("provider.ts", provider);
    const { session } = await openSession(workspace, { model: "house/butler", extensions: [path], session: "memory" });
    await session.prompt("Go");
    const [, call, result, answer] = session.messages;
    expect(call).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", thinkingSignature: "signed" },
        { type: "toolCall", name: "bash", arguments: { command: "echo from-tool" } },
      ],
      stopReason: "toolUse",
      usage: { input: 5, output: 7 },
    });
    expect(result).toMatchObject({ role: "toolResult", content: [{ text: "from-tool\n" }] });
    const facts = [true, ["read", "bash", "edit", "write"], ["user", "assistant", "toolResult"]];
    expect(answer).toMatchObject({
      content: [{ type: "thinking" }, { type: "text", text: JSON.stringify(facts) }],
      stopReason: "stop",
    });
  });

  test("that fails is a failed answer with its message", async () => {
    const path = await workspace.write("provider.ts", provider);
    const { session } = await openSession(workspace, { model: "broken/silent", extensions: [path], session: "memory" });
    await session.prompt("Go");
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "no luck today" });
  });
});
