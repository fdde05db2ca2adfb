import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { holdClock } from "@pikit/test-kit/clock";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { defaultEndpoints, findLocalModels, type LocalEndpoint } from "../../src/models/local-servers.ts";

/** Longer than any server here takes that answers at all. */
const timeoutMs = 240_000;

/** What a path is answered with: JSON, or whatever a function writes. */
type Answer = object | ((response: ServerResponse, body: unknown) => void);

describe("Ollama", () => {
  test("lists its models with their abilities, and the window of those that are loaded or have one set", async () => {
    const abilities: Record<string, object> = {
      "qwen3:8b": { capabilities: ["completion", "tools", "thinking"] },
      "gemma4:12b": {
        capabilities: ["completion", "vision"],
        parameters: 'stop    "<eos>"\nnum_ctx                        16384\n',
      },
      "old:latest": { model_info: { "llama.context_length": 131_072 } },
      "nomic-embed-text": { capabilities: ["embedding"] },
    };
    const url = await serve({
      "/api/tags": { models: Object.keys(abilities).map((name) => ({ name, size: 1 })) },
      "/api/ps": { models: [{ name: "qwen3:8b", context_length: 40_960 }] },
      "/api/show": (response, body) => response.end(JSON.stringify(abilities[(body as { model: string }).model])),
    });
    const shared = {
      api: "openai-completions",
      provider: "local",
      baseUrl: `${url}/v1`,
      maxTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    expect(await find({ kind: "ollama", url })).toEqual([
      { ...shared, id: "qwen3:8b", name: "qwen3:8b (Ollama)", reasoning: true, input: ["text"], contextWindow: 40_960 },
      {
        ...shared,
        id: "gemma4:12b",
        name: "gemma4:12b (Ollama)",
        reasoning: false,
        input: ["text", "image"],
        contextWindow: 16_384,
      },
      { ...shared, id: "old:latest", name: "old:latest (Ollama)", reasoning: false, input: ["text"], contextWindow: 0 },
    ]);
  });

  test("is listed without details when it gives none", async () => {
    const url = await serve({ "/api/tags": { models: [{ name: "a" }, { size: 1 }, "b", null] } });
    expect(await outline({ kind: "ollama", url })).toEqual(["a (Ollama) 0"]);
  });
});

describe("llama.cpp", () => {
  test("serves one model with the window it was started with, and is called by its file", async () => {
    const url = await serve({
      "/v1/models": {
        data: [
          {
            id: "../models/Qwen3-8B-Q4_K_M.gguf",
            architecture: { input_modalities: ["text", "image"] },
            meta: { n_ctx_train: 131_072 },
          },
        ],
      },
      "/props": { default_generation_settings: { n_ctx: 8192 } },
    });
    expect(await find({ kind: "llama.cpp", url })).toMatchObject([
      {
        id: "../models/Qwen3-8B-Q4_K_M.gguf",
        name: "Qwen3-8B-Q4_K_M.gguf (llama.cpp)",
        input: ["text", "image"],
        contextWindow: 8192,
      },
    ]);
  });

  test("as a router lists all models, with windows unknown", async () => {
    const url = await serve({
      "/v1/models": { data: [{ id: "a", meta: null }, { id: "b" }] },
      "/props": { default_generation_settings: { n_ctx: 8192 } },
    });
    expect(await outline({ kind: "llama.cpp", url })).toEqual(["a (llama.cpp) 0", "b (llama.cpp) 0"]);
  });
});

describe("LM Studio", () => {
  test("lists what it has on disk, with the window of what is loaded, and no models for embeddings", async () => {
    const url = await serve({
      "/api/v0/models": {
        data: [
          { id: "qwen2-vl-7b", type: "vlm", state: "not-loaded", max_context_length: 32_768 },
          { id: "llama-3.1-8b", type: "llm", state: "loaded", max_context_length: 131_072, loaded_context_length: 16_384 },
          { id: "nomic", type: "embeddings", max_context_length: 2048 },
        ],
      },
      "/v1/models": { data: [{ id: "llama-3.1-8b" }] },
    });
    expect(await find({ kind: "lm-studio", url })).toMatchObject([
      { id: "qwen2-vl-7b", input: ["text", "image"], contextWindow: 0 },
      { id: "llama-3.1-8b", name: "llama-3.1-8b (LM Studio)", input: ["text"], contextWindow: 16_384 },
    ]);
  });

  test("of an old version is asked for OpenAI's list", async () => {
    const url = await serve({ "/v1/models": { data: [{ id: "qwen" }, { id: "text-embedding-nomic" }] } });
    expect(await outline({ kind: "lm-studio", url })).toEqual(["qwen (LM Studio) 0"]);
  });
});

describe("servers that are of no use", () => {
  const garbage: [string, Answer][] = [
    ["a page", (response) => response.end("<!doctype html><p>404")],
    ["JSON of another kind", { models: "none", data: { id: "x" } }],
    ["a JSON value", (response) => response.end("null")],
    ["an error", (response) => response.writeHead(500).end(JSON.stringify({ models: [{ name: "a" }], data: [{ id: "a" }] }))],
    ["a redirect", (response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end()],
    ["half an answer", (response) => response.writeHead(200, { "content-length": "100" }).end('{"data": [')],
    ["bytes without end", (response) => flood(response)],
    ["nothing, and hangs up", (response) => response.destroy()],
  ];
  const endless: [string, Answer][] = [
    ["nothing, for ever", () => {}],
    ["the head of an answer, and then nothing", (response) => response.writeHead(200).write('{"data":')],
  ];

  test.each(garbage)("answer with %s, and are left out", async (_title, answer) => {
    const bad = await serve({ "": answer });
    const good = await serve({ "/v1/models": { data: [{ id: "good" }] } });
    const kinds = ["ollama", "llama.cpp", "lm-studio"] as const;
    const endpoints = [...kinds.map((kind) => ({ kind, url: bad })), { kind: "llama.cpp" as const, url: good }];
    expect(await outline(...endpoints)).toEqual(["good (llama.cpp) 0"]);
  });

  test.each(endless)("answer with %s, and are left out when their time is over", async (_title, answer) => {
    const clock = holdClock();
    const bad = await serve({ "": answer });
    const good = await serve({ "/v1/models": { data: [{ id: "good" }] } });
    const kinds = ["ollama", "llama.cpp", "lm-studio"] as const;
    const endpoints = [...kinds.map((kind) => ({ kind, url: bad })), { kind: "llama.cpp" as const, url: good }];
    const found = outline(...endpoints);
    // Time passes when nothing has happened for many turns of the event loop, in which the good one's answer is read.
    const passing = async () => {
      for (let turn = 0; turn < 2000; turn += 1) await nextTurn();
      clock.pass(timeoutMs);
    };
    let isFound = false;
    void found.then(() => {
      isFound = true;
    });
    while (!isFound) await passing();
    expect(await found).toEqual(["good (llama.cpp) 0"]);
  });

  test("are not there at all", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await outline({ kind: "ollama", url: `http://127.0.0.1:${port}` })).toEqual([]);
  });
});

test("a model that two servers have is the first one's", async () => {
  const first = await serve({ "/api/tags": { models: [{ name: "same" }] } });
  const second = await serve({ "/v1/models": { data: [{ id: "same" }, { id: "other" }] } });
  const models = await find({ kind: "ollama", url: first }, { kind: "lm-studio", url: second });
  expect(models.map(({ id, baseUrl }) => [id, baseUrl])).toEqual([
    ["same", `${first}/v1`],
    ["other", `${second}/v1`],
  ]);
});

test("an abort ends the search at once, with its reason", async () => {
  const controller = new AbortController();
  const url = await serve({ "": () => controller.abort(new Error("enough")) });
  const search = findLocalModels({ endpoints: [{ kind: "ollama", url }], signal: controller.signal, timeoutMs: 3_600_000 });
  await expect(search).rejects.toThrow("enough");
  await expect(findLocalModels({ endpoints: [], signal: controller.signal })).rejects.toThrow("enough");
});

describe("OLLAMA_HOST", () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ["", "http://127.0.0.1:11434"],
    ["  ", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:8000", "http://127.0.0.1:8000"],
    [":8000", "http://127.0.0.1:8000"],
    ["127.0.0.1:80", "http://127.0.0.1"],
    ['"gpu-box"', "http://gpu-box:11434"],
    ["http://gpu-box", "http://gpu-box"],
    ["https://gpu-box:8443/ollama/", "https://gpu-box:8443/ollama"],
    ["::1", "http://[::1]:11434"],
    ["[::]:8000", "http://[::1]:8000"],
    ["not a host", "http://127.0.0.1:11434"],
  ])("%j is %s", (value, url) => {
    vi.stubEnv("OLLAMA_HOST", value);
    expect(defaultEndpoints()).toEqual([
      { kind: "ollama", url },
      { kind: "llama.cpp", url: "http://127.0.0.1:8080" },
      { kind: "lm-studio", url: "http://127.0.0.1:1234" },
    ]);
  });
});

/** A server that answers by path; the path "" is for all that have no answer of their own. */
async function serve(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = answers[request.url ?? ""] ?? answers[""];
    const body = await readBody(request);
    if (answer === undefined) response.writeHead(404).end("{}");
    else if (typeof answer === "function") answer(response, body);
    else response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body === "" ? undefined : JSON.parse(body);
}

/** Writes as fast as it is read, until the reader has gone. */
function flood(response: ServerResponse): void {
  const block = Buffer.alloc(1024 * 1024, "[");
  const write = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on("drain", write);
  write();
}

function find(...endpoints: LocalEndpoint[]) {
  return findLocalModels({ endpoints, timeoutMs });
}

async function outline(...endpoints: LocalEndpoint[]): Promise<string[]> {
  return (await find(...endpoints)).map(({ name, contextWindow }) => `${name} ${contextWindow}`);
}
