import { expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("--offline refuses a model that is asked over the network, before anything is stored", async () => {
  const { session, events } = await openSession(workspace, { model: "anthropic/claude-sonnet-4-5", apiKey: "k", offline: true });
  await expect(session.prompt("Hi")).rejects.toMatchObject({
    code: "no_model",
    message: expect.stringContaining("--offline forbids"),
  });
  expect([session.messages, events]).toEqual([[], []]);
});

test("--offline lets models of this machine answer", async () => {
  const finished = await runCli(workspace, [
    "-p",
    "--offline",
    "--no-session",
    "--model",
    await workspace.script({ text: "Here." }),
    "Hi",
  ]);
  expect(finished).toEqual({ stdout: "Here.\n", stderr: "", exitCode: 0 });
  const models = [{ id: "m" }];
  await workspace.write("agent/models.json", {
    providers: {
      near: { baseUrl: "http://127.0.0.1:9", api: "openai-completions", models },
      far: { baseUrl: "http://192.0.2.1", api: "openai-completions", models },
      odd: { baseUrl: "http://127.0.0.1.example.org", api: "openai-completions", models },
    },
  });
  const refusalOf = async (model: string) => {
    const { session } = await openSession(workspace, { model, session: "memory", offline: true, retry: { enabled: false } });
    return session.prompt("Hi").then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
  };
  expect(await Promise.all(["near/m", "far/m", "odd/m"].map(refusalOf))).toEqual([undefined, "no_model", "no_model"]);
});
