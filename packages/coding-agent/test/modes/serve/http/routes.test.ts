import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { type HttpErrorCode, statusOfCode } from "../../../../src/modes/serve/http/http-error.ts";
import { openApiDocument } from "../../../../src/modes/serve/http/openapi.ts";
import { routes } from "../../../../src/modes/serve/http/routes.ts";
import { type Answer, begin, type CallOptions, call, openEvents, openSocket, sendRaw } from "../../../helpers/http-client.ts";
import { startTestServer, type TestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** Of the agent package: the one JSON Schema validator of the repository. */
const { Ajv2020 } = createRequire(new URL("../../../../../agent/package.json", import.meta.url))("ajv/dist/2020") as {
  Ajv2020: new (options: object) => { compile(schema: object): Check };
};
type Check = { (value: unknown): boolean; errors?: unknown };

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  parameters?: { name: string; in: string }[];
}
const document = openApiDocument() as { paths: Record<string, Record<string, Operation>>; components: object };

const checks = new Map<string, Check>();

/** The faults of a value, by a schema of the document. Each schema is compiled once. */
function faultsOf(schema: object, value: unknown): unknown {
  const key = JSON.stringify(schema);
  const check = checks.get(key) ?? new Ajv2020({ strict: false }).compile({ ...schema, components: document.components });
  checks.set(key, check);
  return check(value) ? undefined : check.errors;
}

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Sends a request, and checks that the document says what came. */
async function callChecked(server: TestServer, method: string, path: string, options?: CallOptions): Promise<Answer> {
  const answer = await call(server, method, path, options);
  const pattern = Object.keys(document.paths).find((each) => {
    const parts = path.split("?")[0]?.split("/") ?? [];
    const wanted = each.split("/");
    return wanted.length === parts.length && wanted.every((part, index) => part.startsWith("{") || part === parts[index]);
  });
  const operation = document.paths[pattern ?? ""]?.[method.toLowerCase()];
  const response = operation?.responses[answer.status];
  expect(response, `${method} ${path} → ${answer.status} is not documented`).toBeDefined();
  const [type, content] = Object.entries(response?.content ?? {})[0] ?? [];
  if (content) {
    expect(answer.headers["content-type"]).toContain(type);
    if (type === "application/json") expect(faultsOf(content.schema, answer.json)).toBeUndefined();
  } else {
    expect(answer.text).toBe("");
  }
  return answer;
}

async function startWithModel(overrides?: Parameters<typeof startTestServer>[1]): Promise<TestServer & { model: string }> {
  const model = await workspace.script({ text: "Hello there" }, { text: "Again" });
  return { ...(await startTestServer(workspace, overrides)), model };
}

test("every route answers as the OpenAPI document says", async () => {
  const server = await startWithModel();
  const seen: string[] = [];
  const ask = async (method: string, path: string, options?: CallOptions) => {
    const answer = await callChecked(server, method, path, options);
    seen.push(`${method} ${answer.status} ${path.replace(/\/sessions\/[^/]+/, "/sessions/{id}")}`);
    return answer;
  };
  await ask("GET", "/v1/health", { token: null });
  await ask("GET", "/v1/openapi.json", { token: null });
  const created = await ask("POST", "/v1/sessions", { body: { model: server.model, name: "first" } });
  const id = created.json.sessionId;
  expect(created.json).toEqual({ sessionId: id, sessionFile: expect.stringContaining(id), cwd: workspace.cwd, opened: "new" });
  await ask("POST", "/v1/sessions", { body: { session: { id } } });
  const path = `/v1/sessions/${id}`;
  const events = await openEvents(server, id);
  await ask("POST", `${path}/commands`, { body: { type: "prompt", message: "Hi", id: 7 } });
  await events.waitFor({ type: "agent_settled" });
  const failed = await ask("POST", `${path}/commands`, { body: { type: "nonsense" } });
  expect(failed.json).toMatchObject({ success: false });
  expect(failed.headers["pi-position"]).toMatch(/^[\w-]+:\d+$/);
  await ask("POST", `${path}/commands`, { body: { type: "extension_ui_response", id: "none", cancelled: true } });
  expect((await ask("GET", path)).json).toMatchObject({ id, name: "first", firstPrompt: "Hi", live: true, interrupted: false });
  expect((await ask("GET", "/v1/sessions?limit=5")).json.sessions).toEqual([(await ask("GET", path)).json]);
  for (const frame of events.frames) expect(faultsOf(component("ConnectionFrame"), frame)).toBeUndefined();
  expect(new Set(events.frames.map(({ type }) => type))).toContain("resync");
  for (const [path, name] of [
    ["/", "index.html"],
    ["/page.js", "page.js"],
    ["/page.css", "page.css"],
  ] as const) {
    const file = await ask("GET", path, { token: null });
    expect(file.text).toBe(`The content of ${name}`);
    expect(file.headers["content-security-policy"]).toContain("default-src 'none'");
  }
  const { frames, socket, waitFor } = await openSocket(server, id, "?client=c1&stream=snapshots");
  socket.send(JSON.stringify({ type: "get_state", id: "s1" }));
  expect(await waitFor({ type: "response", id: "s1" })).toMatchObject({ success: true, data: { sessionId: id } });
  for (const frame of frames) expect(faultsOf(component("ConnectionFrame"), frame)).toBeUndefined();
  expect(seen.filter((line) => !/ [45]\d\d /.test(line)).sort()).toEqual([
    "GET 200 /",
    "GET 200 /page.css",
    "GET 200 /page.js",
    "GET 200 /v1/health",
    "GET 200 /v1/openapi.json",
    "GET 200 /v1/sessions/{id}",
    "GET 200 /v1/sessions/{id}",
    "GET 200 /v1/sessions?limit=5",
    "POST 200 /v1/sessions",
    "POST 200 /v1/sessions/{id}/commands",
    "POST 200 /v1/sessions/{id}/commands",
    "POST 201 /v1/sessions",
    "POST 204 /v1/sessions/{id}/commands",
  ]);
});

test("the document and the server have the same routes, and HEAD works where GET does", async () => {
  const server = await startTestServer(workspace);
  const id = await begin(server, { session: "memory" });
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(
    Object.values(routes)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
  for (const route of Object.values(routes)) {
    const path = route.path.replace("{id}", id);
    const refused = await call(server, "DELETE", path);
    expect(refused).toMatchObject({ status: 405, json: { error: { code: "method_not_allowed" } } });
    expect(refused.headers.allow).toContain(route.method);
    if (route.method !== "GET" || route.path.endsWith("/socket")) continue;
    const head = await call(server, "HEAD", path);
    expect([path, head.status, head.text]).toEqual([path, 200, ""]);
  }
});

test("each code of an error is answered where the contract says, without a word of our code", async () => {
  const server = await startWithModel({ limits: { maxSessions: 2 } });
  const id = await begin(server, { model: server.model });
  const commands = `/v1/sessions/${id}/commands`;
  const expectError = async (code: HttpErrorCode, method: string, path: string, options?: CallOptions) => {
    const answer = await call(server, method, path, options);
    expect([answer.status, answer.json?.error?.code]).toEqual([statusOfCode[code], code]);
    expect(answer.json.error.message).toMatch(/^[A-Z][\s\S]*\.$/);
    expect(answer.text).not.toMatch(/\.ts:\d|\bat [\w.<]+ \(|node_modules/);
    return answer;
  };
  await expectError("bad_request", "GET", "/v1/sessions?limit=0");
  await expectError("bad_request", "GET", "/v1/sessions?limit=1&limit=2");
  await expectError("bad_request", "GET", `/v1/sessions/${id}/events?sicne=x`);
  await expectError("bad_request", "GET", `/v1/sessions/${id}/events?stream=fast`);
  await expectError("bad_request", "GET", `/v1/sessions/${id}/socket`);
  await expectError("bad_request", "POST", commands, { body: "{" });
  await expectError("bad_request", "POST", commands, { body: "[1]" });
  await expectError("bad_request", "POST", commands, { body: new Uint8Array([0x22, 0xff, 0x22]) });
  await expectError("bad_request", "POST", commands, { body: `{"a":${"[".repeat(500)}${"]".repeat(500)}}` });
  await expectError("bad_request", "POST", commands, {
    body: { type: "get_state" },
    headers: { "idempotency-key": "x".repeat(201) },
  });
  await expectError("unsupported_media_type", "POST", commands, { body: "{}", headers: { "content-type": "text/plain" } });
  await expectError("unsupported_media_type", "POST", commands, { body: "{}", headers: { "content-encoding": "gzip" } });
  await expectError("too_large", "POST", "/v1/sessions", { body: `{"systemPrompt":"${"x".repeat(4 * 1024 * 1024)}"}` });
  await expectError("not_found", "GET", "/v2");
  await expectError("not_found", "GET", "/v1/sessions/missing");
  await expectError("not_found", "GET", "/v1/sessions/%00/events");
  await expectError("not_found", "GET", "/v1/sessions/%E0%A4%A/events");
  await expectError("not_found", "GET", "/v1/sessions/missing/events");
  expect(await call(server, "HEAD", "/v1/sessions/missing/events")).toMatchObject({ status: 404, text: "" });
  await expectError("not_found", "POST", "/v1/sessions/missing/commands", { body: { type: "get_state" } });
  await expectError("forbidden", "POST", "/v1/sessions", { body: { cwd: "/" } });
  await expectError("bad_request", "POST", "/v1/sessions", { body: { cwd: "relative" } });
  await expectError("cannot_open", "POST", "/v1/sessions", { body: { model: "no-such-model" } });
  await expectError("cannot_open", "POST", "/v1/sessions", { body: { session: { idPrefix: "none" } } });
  const unknown = await expectError("bad_request", "POST", "/v1/sessions", { body: { readOnli: true } });
  expect(unknown.json.error.message).toContain('Unknown field "readOnli"');
  const key = await expectError("bad_request", "POST", "/v1/sessions", { body: { apiKey: "secret-key" } });
  expect(key.text).not.toContain("secret-key");
  await expectError("bad_request", "POST", "/v1/sessions", { body: { limits: { maxTurn: 1 } } });
  await expectError("conflict", "POST", "/v1/sessions", { body: { session: { id }, readOnly: true } });
  const once = { body: { type: "get_state" }, headers: { "idempotency-key": "k" } };
  expect((await call(server, "POST", commands, once)).status).toBe(200);
  await expectError("key_reused", "POST", commands, { ...once, body: { type: "abort" } });
  await begin(server, { session: "memory" });
  const watched = await openEvents(server, id);
  const many = await expectError("too_many", "POST", "/v1/sessions", { body: {} });
  expect(many.headers["retry-after"]).toBe("1");
  watched.close();
  const overflow = await sendRaw(server, `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
  expect(overflow).toMatch(/^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/);
  expect(await sendRaw(server, "HELLO\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 [\s\S]*"bad_request"/);
  expect(server.problems).toEqual([]);
});

test("an internal fault is answered without details, reported on the side of the server, and harms nothing else", async () => {
  await workspace.write("agent/settings.json", { aproval: "always" });
  const reported: string[] = [];
  const report = (problem: string) => {
    reported.push(problem);
    if (problem.includes("aproval")) throw new TypeError("the reporter broke");
  };
  const server = await startTestServer(workspace, { report });
  const answer = await callChecked(server, "POST", "/v1/sessions", { body: {} });
  expect([answer.status, answer.json.error.code]).toEqual([500, "internal"]);
  expect(answer.text).not.toContain("broke");
  expect(reported.at(-1)).toContain("the reporter broke");
  expect((await callChecked(server, "GET", "/v1/sessions")).json).toEqual({ sessions: [] });
});

test("a request that takes too long to arrive is answered and closed", async () => {
  const server = await startTestServer(workspace, { times: { headersMs: 50, requestMs: 100, checkMs: 20 } });
  const head = `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\n`;
  expect(await sendRaw(server, "GET / HTTP/1.1\r\nhost: loc")).toMatch(/^HTTP\/1\.1 408 [\s\S]*"timeout"/);
  // The server waits for the rest of the body.
  expect(await sendRaw(server, `${head}content-length: 10\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"timeout"/);
  expect((await call(server, "GET", "/v1/health")).status).toBe(200);
});

test("connections beyond the maximum get an answer that says so", async () => {
  const server = await startTestServer(workspace, { limits: { maxConnections: 2 } });
  const id = await begin(server, { session: "memory" });
  const watching = [await openEvents(server, id), await openEvents(server, id)];
  const refused = await call(server, "GET", "/v1/health");
  expect(refused).toMatchObject({ status: 429, json: { error: { code: "too_many" } } });
  expect(refused.headers.connection).toBe("close");
  for (const each of watching) {
    each.close();
    await each.ended;
  }
});

test("an answer to a long request that is refused arrives, although the client still sends", async () => {
  const server = await startTestServer(workspace);
  const body = Buffer.alloc(8 * 1024 * 1024, "x");
  const answers = await Promise.all([
    call(server, "POST", "/v1/sessions", { body }),
    call(server, "POST", "/v1/sessions", { body, token: null }),
    call(server, "POST", "/nowhere", { body, headers: { "transfer-encoding": "chunked" } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([413, 401, 404]);
});

test("Expect: 100-continue asks for the body only when it is wanted", async () => {
  const server = await startTestServer(workspace);
  const head = (token: string) =>
    `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 20\r\n\r\n`;
  expect(await sendRaw(server, head("wrong"))).toMatch(/^HTTP\/1\.1 401 /);
  expect(await sendRaw(server, `${head(server.token)}{"session":"memory"}`)).toMatch(
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /,
  );
});

test.each([
  ["another route", "/v1/health", {}, 400],
  ["no key", "/v1/sessions/{id}/socket", { "sec-websocket-key": "" }, 400],
  ["an old version", "/v1/sessions/{id}/socket", { "sec-websocket-version": "8" }, 400],
  ["another protocol", "/v1/sessions/{id}/socket", { upgrade: "h2c" }, 400],
  ["another subprotocol", "/v1/sessions/{id}/socket", { "sec-websocket-protocol": "chat" }, 400],
  ["a foreign page", "/v1/sessions/{id}/socket", { origin: "https://evil.example" }, 403],
  ["a foreign host", "/v1/sessions/{id}/socket", { host: "evil.example" }, 403],
  ["a wrong token", "/v1/sessions/{id}/socket", { authorization: "Bearer wrong" }, 401],
  ["a missing session", "/v1/sessions/missing/socket", {}, 404],
  ["a misspelt query", "/v1/sessions/{id}/socket?sicne=1", {}, 400],
])("an upgrade with %s is answered with JSON and closed", async (_what, path, headers, status) => {
  const server = await startTestServer(workspace);
  const id = await begin(server, { session: "memory" });
  const all = {
    ...{ host: "localhost", connection: "Upgrade", upgrade: "websocket", authorization: `Bearer ${server.token}` },
    ...{ "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-version": "13" },
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await sendRaw(server, `GET ${path.replace("{id}", id)} HTTP/1.1\r\n${lines.join("")}\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\{"error":`));
});

test("while the server ends, it says so", async () => {
  const server = await startWithModel({ limits: { graceSeconds: 60 } });
  const model = await workspace.script({ text: "one two", delayMs: 60_000 });
  const id = await begin(server, { model });
  const events = await openEvents(server, id);
  await call(server, "POST", `/v1/sessions/${id}/commands`, { body: { type: "prompt", message: "Hi" } });
  await events.waitFor({ type: "agent_start" });
  const closed = server.close();
  const health = await callChecked(server, "GET", "/v1/health");
  expect([health.status, health.json.status, health.headers["retry-after"]]).toEqual([503, "closing", "1"]);
  for (const [path, body] of [
    ["/v1/sessions", {}],
    [`/v1/sessions/${id}/commands`, { type: "prompt", message: "More" }],
  ] as const) {
    const refused = await callChecked(server, "POST", path, { body });
    expect([refused.status, refused.json.error.code]).toEqual([503, "closing"]);
  }
  expect((await callChecked(server, "POST", `/v1/sessions/${id}/commands`, { body: { type: "abort" } })).status).toBe(200);
  await closed;
  await events.ended;
  await expect(call(server, "GET", "/v1/health")).rejects.toThrow("ECONNREFUSED");
});
