import { type Model, readBody } from "@pikit/ai";

/** A program that serves models on this machine. */
export interface LocalEndpoint {
  kind: "ollama" | "llama.cpp" | "lm-studio";
  /** Without an API path and without a trailing slash. */
  url: string;
}

export interface FindLocalModelsOptions {
  signal?: AbortSignal | undefined;
  /** Default: `defaultEndpoints()`. */
  endpoints?: readonly LocalEndpoint[];
  /** Timeout of each request in milliseconds. Default 3000: a busy machine answers late, but a missing server fails at once. */
  timeoutMs?: number;
}

/** Sends a request to a server; undefined if it is missing, too slow, or does not answer with JSON. */
type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** A server's information about one of its models. */
interface Found {
  id: string;
  reasoning?: boolean;
  image?: boolean;
  /** The context window in use, in tokens. Not the one of the training: servers cut prompts longer than the one in use without an error. */
  contextWindow?: number | undefined;
}

const titles: Readonly<Record<LocalEndpoint["kind"], string>> = {
  ollama: "Ollama",
  "llama.cpp": "llama.cpp",
  "lm-studio": "LM Studio",
};

/** Maximum bytes of a response. A list of models has only a few kilobytes. */
const maxBytes = 4 * 1024 * 1024;

/** The default addresses of the servers; for Ollama, the address in `OLLAMA_HOST` if it is set. */
export function defaultEndpoints(): LocalEndpoint[] {
  return [
    { kind: "ollama", url: ollamaUrl(process.env.OLLAMA_HOST) },
    { kind: "llama.cpp", url: "http://127.0.0.1:8080" },
    { kind: "lm-studio", url: "http://127.0.0.1:1234" },
  ];
}

/**
 * Finds the models of the servers on this machine, as models of the provider `local`. Ollama's models come first; if two servers have a model
 * with the same id, the first one counts. A server that is missing or sends invalid data has no models. This uses the network, so call it only
 * when the user asks for local models, never at the start.
 *
 * @throws The reason of the abort signal.
 */
export async function findLocalModels({
  signal,
  endpoints = defaultEndpoints(),
  timeoutMs = 3000,
}: FindLocalModelsOptions = {}): Promise<Model[]> {
  signal?.throwIfAborted();
  const lists = await Promise.all(
    endpoints.map(async (endpoint) => {
      const ask: Ask = (path, body) => askJson(endpoint.url + path, body, timeoutMs, signal);
      return (await finders[endpoint.kind](ask)).map((found) => toModel(endpoint, found));
    }),
  );
  signal?.throwIfAborted();
  const models = new Map<string, Model>();
  for (const model of lists.flat()) if (!models.has(model.id)) models.set(model.id, model);
  return [...models.values()];
}

const finders: Readonly<Record<LocalEndpoint["kind"], (ask: Ask) => Promise<Found[]>>> = {
  async ollama(ask) {
    const [tags, running] = await Promise.all([ask("/api/tags"), ask("/api/ps")]);
    const windows = new Map(items(running, "models").map((entry) => [text(entry, "name"), count(entry, "context_length")]));
    const found = items(tags, "models").map(async (entry): Promise<Found | undefined> => {
      const id = text(entry, "name");
      if (id === undefined) return undefined;
      const details = await ask("/api/show", { model: id });
      const abilities = items(details, "capabilities");
      // Older versions do not list capabilities. Models for embeddings lack "completion".
      if (abilities.length > 0 && !abilities.includes("completion")) return undefined;
      // The window of the loaded model, or the one in its Modelfile. Otherwise the server decides when it loads the model.
      const fixed = /^num_ctx\s+(\d+)\s*$/m.exec(text(details, "parameters") ?? "")?.[1];
      const contextWindow = windows.get(id) ?? (fixed === undefined ? undefined : Number(fixed));
      return { id, reasoning: abilities.includes("thinking"), image: abilities.includes("vision"), contextWindow };
    });
    return (await Promise.all(found)).filter((model) => model !== undefined);
  },

  async "llama.cpp"(ask) {
    const [list, props] = await Promise.all([ask("/v1/models"), ask("/props")]);
    const entries = items(list, "data");
    // With several models the server is a router, and these are not the properties of a single model.
    const contextWindow = entries.length === 1 ? count(field(props, "default_generation_settings"), "n_ctx") : undefined;
    return entries.flatMap((entry) => {
      const id = text(entry, "id");
      const image = items(field(entry, "architecture"), "input_modalities").includes("image");
      return id === undefined ? [] : [{ id, image, contextWindow }];
    });
  },

  async "lm-studio"(ask) {
    // LM Studio's own list has more information, but older versions lack it.
    const [own, plain] = await Promise.all([ask("/api/v0/models"), ask("/v1/models")]);
    const entries = items(own, "data").length > 0 ? items(own, "data") : items(plain, "data");
    return entries.flatMap((entry) => {
      const id = text(entry, "id");
      const type = text(entry, "type") ?? (id?.startsWith("text-embedding-") ? "embeddings" : "llm");
      if (id === undefined || type === "embeddings") return [];
      return [{ id, image: type === "vlm", contextWindow: count(entry, "loaded_context_length") }];
    });
  },
};

function toModel({ kind, url }: LocalEndpoint, { id, reasoning = false, image = false, contextWindow = 0 }: Found): Model {
  return {
    id,
    // llama.cpp uses the path of the model's file as its id.
    name: `${kind === "llama.cpp" ? id.replace(/^.*[/\\]/, "") : id} (${titles[kind]})`,
    api: "openai-completions",
    provider: "local",
    baseUrl: `${url}/v1`,
    reasoning,
    input: image ? ["text", "image"] : ["text"],
    contextWindow,
    maxTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

async function askJson(url: string, body: unknown, timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...(body === undefined
        ? {}
        : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      // A local server has no reason to redirect.
      redirect: "error",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const { text: json, isCut } = await readBody(response.body, { maxBytes });
    return isCut ? undefined : JSON.parse(json);
  } catch {
    // No server, a timeout, or another kind of server. The caller reports an abort.
    return undefined;
  }
}

/** Reads `OLLAMA_HOST` like Ollama: `host`, `host:port`, `:port` or a URL. The address of all interfaces becomes the loopback address. */
function ollamaUrl(variable = ""): string {
  const value = variable.trim().replace(/^["']|["']$/g, "");
  const hasScheme = value.includes("://");
  const host = /^[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*$/i.test(value) ? `[${value}]` : value;
  const address = hasScheme ? value : `http://${host.startsWith(":") ? `127.0.0.1${host}` : host}`;
  if (value === "" || !URL.canParse(address)) return "http://127.0.0.1:11434";
  const url = new URL(address);
  if (!hasScheme && !/:\d+\/*$/.test(host)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.href.replace(/\/+$/, "");
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function items(value: unknown, name: string): unknown[] {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

function count(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isSafeInteger(found) && found > 0 ? found : undefined;
}
