import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { anthropic, keepOpen, type RecordedRequest } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { cleanEnvironment } from "../helpers/cli.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import type { HandlesReport } from "./handles.ts";

const workspace = useWorkspace();

/** Runs one of the programs beside this file to its natural end; it is killed, and the test fails, when it does not end. */
async function runToItsEnd(program: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--conditions=pikit-source", path, ...args], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
    timeout: 240_000,
    killSignal: "SIGKILL",
  });
  expect(stderr).toBe("");
  return stdout;
}

test("sessions with requests, tools, children and files leave nothing open when they are disposed of", async () => {
  const server = await serveModels(workspace);
  const answers = {
    "Start something": anthropic.toolCall("bash", { command: "sleep 600 & echo started" }),
    "Wait for ever": anthropic.toolCall("bash", { command: "sleep 600" }),
    "Go on": anthropic.text("Some words that are streamed."),
  };
  const answer = (request: RecordedRequest) => {
    const last = (request.body as { messages: { content: unknown }[] }).messages.at(-1);
    const said = Object.entries(answers).find(([prompt]) => JSON.stringify(last).includes(prompt));
    return said?.[1] ?? anthropic.text("Done.");
  };
  for (let n = 0; n < 10; n += 1) server.respond(answer);
  const stdout = await runToItsEnd("handles.ts", workspace.cwd, workspace.agentDir, "local-anthropic/claude");
  const { before, after }: HandlesReport = JSON.parse(stdout);
  // Connections that wait for the next request are no part of it: Node does not count them, since they keep nothing alive.
  expect(after).toEqual(before);
});

test("a program that prompts a session and disposes of it ends by itself, though the server keeps the connection open", async () => {
  const server = await serveModels(workspace);
  const { steps = [], ...answer } = anthropic.text("Hello.");
  server.respond({ ...answer, steps: [...steps, keepOpen] });
  const stdout = await runToItsEnd("prompt-once.ts", workspace.cwd, workspace.agentDir, "local-anthropic/claude");
  expect(stdout).toBe("Hello.\n");
});
