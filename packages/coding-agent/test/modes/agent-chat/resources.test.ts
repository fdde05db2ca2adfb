import { openai } from "@pikit/test-kit";
import { expect, test } from "vitest";
import type { ExtensionFactory } from "../../../src/extensions/api.ts";
import { serveModels } from "../../helpers/endpoints.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { connectChat, playChat } from "./chat-client.ts";

const workspace = useWorkspace();

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: How to ${name}\n---\n\nDo it.\n`;
}

test("skills of skill_dirs and of the command line are shown to the model", async () => {
  await workspace.write("work/team/deploy/SKILL.md", skill("deploy"));
  await workspace.write("elsewhere/release/SKILL.md", skill("release"));
  await workspace.write("work/mine/review/SKILL.md", skill("review"));
  const server = await serveModels(workspace);
  server.respond(openai.text("Done."), openai.text("Done."));
  const client = connectChat(workspace, { skills: ["mine"] });
  const config = { api_base: server.url, model: "m" };
  await client.chat({ message: "Go", skill_dirs: ["team", `${workspace.root}/elsewhere`], config });
  await client.chat({ message: "Go", config });
  const prompts = server.requests.map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages[0]));
  const shown = ["deploy", "release", "review"].map((name) => prompts.map((prompt) => prompt.includes(`How to ${name}`)));
  expect(shown).toEqual([
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test("what a folder brings is asked about before the chat, without a tier; garbage means no", async () => {
  await workspace.write("work/.pi/settings.json", {});
  const client = playChat(workspace, [{ text: "First." }, { text: "Second." }]);
  client.send("agent_chat", { message: "One" });
  expect((await client.waitFor("confirmation_request")).data).toEqual({ prompt: expect.stringMatching(/^Trust this folder\?/) });
  client.sendText("garbage");
  await client.waitFor("done");
  client.send("agent_chat", { message: "Two", session_key: "other" });
  await client.waitFor("confirmation_request", client.events.length);
  client.send("confirm", { approved: true });
  await client.waitFor("done", client.events.length - 1);
  expect(client.all("done").map(({ response }) => response)).toEqual(["First.", "Second."]);
});

test("a command of an extension is a chat without an answer, and one that fails is told", async () => {
  const extension: ExtensionFactory = (pi) => {
    pi.registerCommand("quiet", { handler: async () => {} });
    pi.registerCommand("broken", {
      handler: async () => {
        throw new Error("it broke");
      },
    });
  };
  const client = playChat(workspace, [{ text: "Hello." }], { extensions: [extension] });
  await client.chat({ message: "/quiet" });
  await client.chat({ message: "/broken" });
  await client.chat({ message: "Hi" });
  expect(client.all("done").map(({ response, task_completed, tool_calls }) => [response, task_completed, tool_calls])).toEqual([
    ["", true, 0],
    ["", true, 0],
    ["Hello.", true, 0],
  ]);
  expect(client.all("error")).toMatchObject([{ code: "internal", message: expect.stringContaining("it broke"), ends_chat: false }]);
});

test("the end of the mode does not wait for a command of an extension", async () => {
  const begun = Promise.withResolvers<void>();
  const extension: ExtensionFactory = (pi) => {
    pi.registerCommand("endless", {
      handler: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    });
  };
  const client = playChat(workspace, [], { extensions: [extension] });
  client.send("agent_chat", { message: "/endless" });
  await begun.promise;
  await client.server.close();
  await client.output.flush();
  expect(client.all("done")).toMatchObject([{ task_completed: false, completion_type: "failure" }]);
});

test("the end of the mode while a session is being opened begins no chat", async () => {
  const client = playChat(workspace, [{ text: "Never." }]);
  client.send("agent_chat", { message: "Hi" });
  await client.server.close();
  await client.output.flush();
  expect(client.events.map(({ event }) => event)).toEqual(["done"]);
  expect(client.all("done")).toMatchObject([{ response: "", task_completed: false, completion_type: "failure" }]);
});
