import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { Access, isLoopback } from "../../../../src/modes/serve/http/access.ts";
import { call, openSocket } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

function isLetIn(options: { host?: string; allowedHosts?: string[] }, headers: Record<string, string>): boolean {
  const access = new Access({ host: "127.0.0.1", allowedHosts: [], ...options });
  try {
    access.checkSource({ headers } as unknown as IncomingMessage);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden" });
    return false;
  }
}

describe("the Host header", () => {
  test.each([
    ["127.0.0.1:4711", true],
    ["127.0.0.1", true],
    ["localhost:4711", true],
    ["LOCALHOST:8080", true],
    ["[::1]:4711", true],
    ["evil.example:4711", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example:4711", false],
    ["10.0.0.7:4711", false],
    ["evil.example@127.0.0.1", false],
    ["127.0.0.1:4711/x", false],
    ["127.0.0.1 evil.example", false],
    ["", false],
  ])("%j on loopback: let in is %j", (host, expected) => {
    expect(isLetIn({}, { host })).toBe(expected);
  });

  test("names of --allow-host and the address itself count too", () => {
    const options = { host: "192.168.7.7", allowedHosts: ["Agents.example"] };
    const hosts = ["agents.example", "agents.example:443", "192.168.7.7:4711", "192.168.7.8:4711", "other.example"];
    expect(hosts.map((host) => isLetIn(options, { host }))).toEqual([true, true, true, false, false]);
  });

  test("a server on all addresses takes any address, but no name that it was not given", () => {
    const hosts = ["192.168.7.7:4711", "[fe80::1]:4711", "evil.example"];
    expect(hosts.map((host) => isLetIn({ host: "0.0.0.0" }, { host }))).toEqual([true, true, false]);
  });

  test("a request without it is refused", () => {
    expect(isLetIn({}, {})).toBe(false);
  });
});

describe("the Origin header", () => {
  test.each([
    ["127.0.0.1:4711", "http://127.0.0.1:4711", true],
    ["localhost", "http://localhost", true],
    ["localhost:80", "http://localhost", true],
    ["localhost", "https://localhost", true],
    ["127.0.0.1:4711", "http://localhost:4711", false],
    ["127.0.0.1:4711", "http://127.0.0.1:4712", false],
    ["127.0.0.1:4711", "http://127.0.0.1", false],
    ["127.0.0.1:4711", "https://evil.example", false],
    ["127.0.0.1:4711", "null", false],
    ["127.0.0.1:4711", "file://", false],
    ["127.0.0.1:4711", "http://", false],
    ["127.0.0.1:4711", "", false],
  ])("host %s, origin %s: let in is %j", (host, origin, expected) => {
    expect(isLetIn({}, { host, origin })).toBe(expected);
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["127.0.0.1.example", false],
  ["192.168.1.1", false],
])("isLoopback(%j) is %j", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("the token", () => {
  test.each([
    ["none", {}],
    ["another", { authorization: `Bearer ${"x".repeat(43)}` }],
    ["a part of it", { authorization: `Bearer ${"t".repeat(42)}` }],
    ["a longer one", { authorization: `Bearer ${"t".repeat(44)}` }],
    ["an empty one", { authorization: "Bearer " }],
    ["another scheme", { authorization: `Basic ${"t".repeat(43)}` }],
    ["in a cookie", { cookie: `token=${"t".repeat(43)}` }],
  ])("%s: every guarded route refuses the request, and says nothing about sessions", async (_what, headers) => {
    const server = await startTestServer(workspace);
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["POST", "/v1/sessions"],
      ["GET", "/v1/sessions/x"],
      ["POST", "/v1/sessions/x/commands"],
      ["GET", "/v1/sessions/x/events"],
      ["GET", "/v1/sessions/x/socket"],
    ] as const) {
      const answer = await call(server, method, path, { token: null, headers });
      expect(answer).toMatchObject({ status: 401, json: { error: { code: "unauthorized" } } });
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  test("in the address is refused, and not repeated", async () => {
    const server = await startTestServer(workspace);
    const answer = await call(server, "GET", `/v1/sessions?token=${server.token}`);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: "bad_request" } } });
    expect(answer.text).not.toContain(server.token);
  });

  test("opens a WebSocket as a subprotocol, and a wrong one does not", async () => {
    const server = await startTestServer(workspace);
    const { sessionId } = (await call(server, "POST", "/v1/sessions", { body: { session: "memory" } })).json;
    const { socket, waitFor } = await openSocket(server, sessionId);
    expect(socket.protocol).toBe("pi.rpc.v1");
    await waitFor({ type: "ready" });
    await expect(openSocket({ ...server, token: "x".repeat(43) }, sessionId)).rejects.toThrow("401");
  });
});

test("every route checks Host and Origin before all else", async () => {
  const server = await startTestServer(workspace);
  for (const path of ["/v1/health", "/v1/openapi.json", "/v1/sessions", "/nowhere"]) {
    const wrong = { status: 403, json: { error: { code: "forbidden" } } };
    expect(await call(server, "GET", path, { headers: { host: "evil.example" } })).toMatchObject(wrong);
    expect(await call(server, "GET", path, { headers: { origin: "https://evil.example" } })).toMatchObject(wrong);
  }
  const own = await call(server, "GET", "/v1/sessions", { headers: { origin: server.url } });
  expect(own.status).toBe(200);
});
