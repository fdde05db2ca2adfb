import { anthropic, cut, keepOpen, openai } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { serveModels, testKey } from "./helpers/endpoints.ts";
import { nextEvent, openSession, outline } from "./helpers/sessions.ts";
import { useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

const wires = [
  { name: "anthropic-messages", model: "local-anthropic/claude", wire: anthropic, keyHeader: "x-api-key", key: testKey },
  { name: "openai-completions", model: "local-openai/gpt", wire: openai, keyHeader: "authorization", key: `Bearer ${testKey}` },
];

describe.each(wires)("a custom endpoint that speaks $name", ({ model, wire, keyHeader, key }) => {
  test("is prompted, calls real tools, gets their results back, and answers", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.toolCall("bash", { command: "echo from the shell" }), wire.text("All done."));
    const { session, events } = await openSession(workspace, { model });
    await session.prompt("Work");
    expect(session.lastAssistantText()).toBe("All done.");
    expect(outline(events).filter((line) => line.startsWith("tool_"))).toEqual([
      "tool_execution_start bash",
      "tool_execution_end bash",
    ]);
    expect(server.requests.map(({ headers }) => headers[keyHeader])).toEqual([key, key]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("from the shell");
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("keeps one connection for all turns of a run", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.toolCall("bash", { command: "true" }), wire.toolCall("bash", { command: "true" }), wire.text("Done."));
    const { session } = await openSession(workspace, { model });
    await session.prompt("Work");
    expect(server.requests.length).toBe(3);
    // One promise a connection.
    expect(new Set(server.requests.map(({ closed }) => closed)).size).toBe(1);
  });

  test("and goes on from a session file as from memory", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.toolCall("bash", { command: "echo one" }), wire.text("First."), wire.text("Second."));
    const { session } = await openSession(workspace, { model });
    await session.prompt("Work");
    await session.dispose();
    const resumed = await openSession(workspace, { session: "continue" });
    await resumed.session.prompt("More");
    expect(resumed.session.lastAssistantText()).toBe("Second.");
    const sent = JSON.stringify(server.requests[2]?.body);
    for (const text of ["Work", "one", "First.", "More"]) expect(sent).toContain(text);
  });

  test("SC-004 whose key is wrong: the answer says so, and the key is in no event, file or state", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.error(401, "invalid x-api-key", { type: "authentication_error" }));
    const { session, events } = await openSession(workspace, { model });
    await session.prompt("Work");
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("401") });
    const everything = JSON.stringify([events, session.state(), session.messages, await workspace.sessionLines()]);
    expect(everything).not.toContain("5ecret");
    expect((await session.models.available()).some((known) => "headers" in known)).toBe(false);
  });

  test("that dies in the middle of an answer: the run settles, and what had arrived is stored", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.answer([{ text: "Half an" }], { ending: [cut] }), wire.text("Again."));
    const { session, events } = await openSession(workspace, { model, retry: { enabled: false } });
    await session.prompt("Work");
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "error", content: [{ type: "text", text: "Half an" }] });
    expect(outline(events).at(-1)).toBe("agent_settled");
    await session.prompt("Again");
    expect(session.lastAssistantText()).toBe("Again.");
  });

  test("that falls silent: abort settles the run and drops the connection", async () => {
    const server = await serveModels(workspace);
    server.respond(wire.answer([{ text: "And then" }], { ending: [keepOpen] }));
    const { session } = await openSession(workspace, { model });
    const streaming = nextEvent(session, ({ type }) => type === "message_update");
    await session.submit("Work");
    const request = await server.nextRequest();
    await streaming;
    await session.abort();
    await request.closed;
    expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  });

  test("that is not there at all: one answer with an error", async () => {
    const server = await serveModels(workspace);
    await server.close();
    const { session } = await openSession(workspace, { model, retry: { enabled: false } });
    await session.prompt("Work");
    expect(session.messages.at(-1)).toMatchObject({
      role: "assistant",
      stopReason: "error",
      errorMessage: expect.stringMatching(/.+/),
    });
  });
});
