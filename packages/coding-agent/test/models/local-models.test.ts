import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
let server: Server;
let requests: string[];
let env: { OLLAMA_HOST: string };

/** A server that lists one model as Ollama does, and answers as the Chat Completions API does. */
beforeEach(async () => {
  requests = [];
  const answer = { choices: [{ index: 0, delta: { content: "Hello from here" }, finish_reason: "stop" }] };
  server = createServer(({ url = "" }, response) => {
    requests.push(url);
    if (url === "/api/tags") response.end(JSON.stringify({ models: [{ name: "qwen3:8b", model: "qwen3:8b" }] }));
    else if (url === "/v1/chat/completions") {
      response.setHeader("content-type", "text/event-stream");
      response.end(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`);
    } else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  env = { OLLAMA_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}` };
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

test("--list-models shows what runs on this machine, and --model local/… uses it without a key", async () => {
  const list = await runCli(workspace, ["--list-models", "qwen"], { env });
  expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^local\/qwen3:8b +qwen3:8b \(Ollama\)$/m) });
  const answer = await runCli(workspace, ["-p", "--model", "local/qwen3:8b", "Hi"], { env });
  expect(answer).toEqual({ exitCode: 0, stdout: "Hello from here\n", stderr: "" });
});

test("--provider local takes the first of them; where there is none it says what to do", async () => {
  const answer = await runCli(workspace, ["-p", "--provider", "local", "Hi"], { env });
  expect(answer).toEqual({ exitCode: 0, stdout: "Hello from here\n", stderr: "" });
  server.removeAllListeners("request").on("request", (_request, response) => void response.writeHead(404).end("{}"));
  const refused = await runCli(workspace, ["-p", "--provider", "local", "Hi"], { env });
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^No model server answers on this machine, .*\n$/) });
});

test("a provider of models.json that is called local is not asked over the network for what it lists", async () => {
  const providers = { local: { baseUrl: `http://${env.OLLAMA_HOST}/v1`, api: "openai-completions", models: [{ id: "mine" }] } };
  await workspace.write("agent/models.json", { providers });
  const answer = await runCli(workspace, ["-p", "--provider", "local", "Hi"], { env });
  expect(answer).toEqual({ exitCode: 0, stdout: "Hello from here\n", stderr: "" });
  expect(requests).toEqual(["/v1/chat/completions"]);
});

test("nothing is asked of this machine's servers unless a local model is wanted", async () => {
  const model = await workspace.script({ text: "ok" });
  await runCli(workspace, ["-p", "--model", model, "Hi"], { env });
  await runCli(workspace, ["-p", "--model", "no-such-model", "Hi"], { env });
  expect(requests).toEqual([]);
});
