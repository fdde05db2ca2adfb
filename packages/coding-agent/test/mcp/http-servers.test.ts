import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { TestServers } from "./helpers.ts";

interface Call {
  id: number;
  response: ServerResponse;
}

/** A server that speaks streamable HTTP well, except in the calls of its one tool. */
async function serve(onCall: (call: Call) => void, onRequest?: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const server = createServer(async (request, response) => {
    if (onRequest?.(request, response)) return;
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: object) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } });
    } else if (method === "tools/list") answer({ tools: [{ name: "ask", inputSchema: { type: "object" } }] });
    else onCall({ id, response });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function open(config: Parameters<typeof serve>[0], onRequest?: Parameters<typeof serve>[1], more: object = {}) {
  const url = await serve(config, onRequest);
  const host = new TestServers({ web: { url, ...more } }, { cwd: "/" });
  await host.servers.start();
  return host;
}

function stream({ response }: Call): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

function result(id: number, text: string): string {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n\n`;
}

test("a call is answered by a stream or by JSON", async () => {
  let calls = 0;
  const host = await open((call) => {
    calls += 1;
    if (calls === 1) stream(call).end(`: comment\n\n${result(call.id, "streamed")}`);
    else {
      const body = { jsonrpc: "2.0", id: call.id, result: { content: [{ type: "text", text: "plain" }] } };
      call.response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
  });
  expect(await host.text("mcp__web__ask")).toBe("streamed");
  expect(await host.text("mcp__web__ask")).toBe("plain");
});

test.each([
  ["ends without a result", (call: Call) => void stream(call).end(": bye\n\n")],
  ["is cut", (call: Call) => void stream(call).write(": hello\n\n", () => call.response.destroy())],
])("a call whose stream %s fails at once", async (_name, onCall) => {
  const host = await open(onCall);
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject({
    code: "mcp_failed",
    message:
      "ask of the MCP server web failed: the connection ended. " +
      "The call may have had an effect anyway; check before you repeat it.",
  });
});

test("a call whose connection is cut before the answer fails", async () => {
  const host = await open(({ response }) => response.destroy());
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject({ code: "mcp_failed" });
});

test("a call that is never answered ends with the abort, and with the session", async () => {
  const asked: (() => void)[] = [];
  const host = await open(() => asked.shift()?.());
  const controller = new AbortController();
  const reached = new Promise<void>((resolve) => asked.push(resolve));
  const first = host.call("mcp__web__ask", {}, { signal: controller.signal });
  await reached;
  controller.abort();
  await expect(first).rejects.toMatchObject({ code: "aborted" });
  const reachedAgain = new Promise<void>((resolve) => asked.push(resolve));
  const second = expect(host.call("mcp__web__ask")).rejects.toMatchObject({ code: "mcp_failed" });
  await reachedAgain;
  await host.servers.stop();
  await second;
});

test("an answer that floods fails the call", async () => {
  const host = await open((call) => {
    const response = stream(call);
    const flood = () => {
      while (!response.destroyed && response.write("data: ".padEnd(1 << 20, "x")));
    };
    response.on("drain", flood);
    flood();
  });
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject({ code: "mcp_failed" });
});

/** A server whose streams for calls give an id, in one way or another, and end; the result comes to who resumes them. */
function resumable(pieces: readonly string[], onResume: (lastId: string, response: ServerResponse) => void) {
  const calls: Call[] = [];
  const onCall = async (call: Call) => {
    calls.push(call);
    const response = stream(call);
    for (const piece of pieces) {
      await new Promise((resolve) => response.write(piece, resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const lastId = request.headers["last-event-id"];
    if (typeof lastId !== "string") return false;
    onResume(lastId, response);
    return true;
  };
  return { calls, onCall, onRequest };
}

test.each([
  ["whole", ["retry: 200\nid: e1\ndata: \n\n"]],
  ["cut within the line", ["retry: 200\ni", "d", ": e", "1\ndata: \n", "\n"]],
])("a result that can be resumed is not lost when the id comes %s", async (_name, pieces) => {
  const { calls, onCall, onRequest } = resumable(pieces, (lastId, response) => {
    const [call] = calls;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(result(call?.id ?? 0, `resumed from ${lastId}`));
  });
  const host = await open((call) => void onCall(call), onRequest);
  expect(await host.text("mcp__web__ask")).toBe("resumed from e1");
});

const connectionEnded = {
  code: "mcp_failed",
  message: expect.stringContaining("ask of the MCP server web failed: the connection ended."),
};

test("a stream whose data begins with id: cannot be resumed, and its call fails", async () => {
  const onResume = vi.fn();
  // A piece begins where the text of the message says so.
  const { onCall, onRequest } = resumable(['data: {"text":"', 'id: 5"}\n\n'], onResume);
  const host = await open((call) => void onCall(call), onRequest);
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject(connectionEnded);
  expect(onResume).not.toHaveBeenCalled();
});

test("a call whose stream the server will not resume fails", async () => {
  const { onCall, onRequest } = resumable(["retry: 1\nid: e1\ndata: \n\n"], (_lastId, response) => response.writeHead(405).end());
  const host = await open((call) => void onCall(call), onRequest);
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject(connectionEnded);
});

test("an error that never ends fails the call with its beginning", async () => {
  const host = await open(({ response }) => void response.writeHead(500).write("It broke. ".padEnd(1 << 17, "x")));
  await expect(host.call("mcp__web__ask")).rejects.toMatchObject({
    code: "mcp_failed",
    message: expect.stringMatching(/^ask of the MCP server web failed: the server answered with HTTP 500: It broke\. x{290}\.$/),
  });
});

test("SC-008 headers are sent with their references resolved, and no message shows them", async () => {
  vi.stubEnv("FIXTURE_TOKEN", "tok-12345");
  const seen: (string | undefined)[] = [];
  const host = await open(
    () => undefined,
    (request, response) => {
      seen.push(request.headers.authorization, request.headers["x-plain"] as string);
      response.writeHead(401).end(`bad token ${request.headers.authorization} ${request.headers["x-key"]}`);
      return true;
    },
    { headers: { Authorization: "Bearer $FIXTURE_TOKEN", "X-Plain": "cost: 5$", "X-Key": "written-here" } },
  );
  vi.unstubAllEnvs();
  expect(seen).toEqual(["Bearer tok-12345", "cost: 5$"]);
  expect(host.problems).toEqual([
    "The MCP server web cannot be used: the server refused the request (HTTP 401): bad token Bearer [hidden] [hidden]. " +
      "Put what it asks for into the headers of its settings.",
  ]);
});

test("a server that does not answer is given up after its time", async () => {
  const host = await open(
    () => undefined,
    () => true,
    // no race: the server never answers.
    { startTimeoutSeconds: 0.3 },
  );
  expect(host.problems).toEqual(["The MCP server web cannot be used: it was not ready after 0.3 seconds (startTimeoutSeconds)."]);
});

test("offline, only servers on this machine are asked", async () => {
  const host = new TestServers(
    { far: { url: "https://example.com/mcp" }, odd: { url: "file:///etc" } },
    { cwd: "/", offline: true },
  );
  await host.servers.start();
  expect(host.problems).toEqual([
    "The MCP server far cannot be used: it is not on this machine, and --offline allows no request to others.",
    'The MCP server odd cannot be used: its "url" must begin with http:// or https://.',
  ]);
});
