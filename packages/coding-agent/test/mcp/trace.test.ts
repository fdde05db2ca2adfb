import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ObservedMcpCall } from "../../src/mcp/agent-tool.ts";
import { fixtureServer, TestServers } from "./helpers.ts";

const trace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1" };

/** A server with one tool, which succeeds, reports an error, or is refused, by its argument. */
async function serve() {
  const calls: { headers: IncomingHttpHeaders; meta: Record<string, unknown> | undefined }[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: object) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...result }));
    };
    if (method === "initialize") {
      const serverInfo = { name: "web", version: "1" };
      return answer({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
    }
    if (method === "tools/list") return answer({ result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
    calls.push({ headers: request.headers, meta: params._meta });
    const { how } = params.arguments;
    if (how === "refuse") return answer({ error: { code: -32602, message: "no" } });
    answer({ result: { content: [{ type: "text", text: "said" }], isError: how === "fail" } });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls };
}

test("an observer sees each call and its end; its trace is in the request and, over HTTP, in the headers", async () => {
  const { url, calls } = await serve();
  const seen: unknown[] = [];
  const onCall = (call: ObservedMcpCall) => {
    seen.push(call);
    return { meta: trace, ended: (outcome: object) => void seen.push("error" in outcome ? "failed" : outcome) };
  };
  const host = new TestServers({ web: { url } }, { cwd: "/", onCall });
  await host.servers.start();
  expect(await host.text("mcp__web__ask")).toBe("said");
  await expect(host.text("mcp__web__ask", { how: "fail" })).rejects.toThrow();
  await expect(host.text("mcp__web__ask", { how: "refuse" })).rejects.toThrow();
  const call = { toolCallId: "call-1", server: "web", tool: "ask", transport: "http" };
  expect(seen).toEqual([call, { isError: false }, call, { isError: true }, call, "failed"]);
  for (const { headers, meta } of calls) {
    expect(headers).toMatchObject(trace);
    expect(meta).toMatchObject(trace);
  }
});

test("without an observer there is no trace; a local server is called over stdio", async () => {
  const { url, calls } = await serve();
  const host = new TestServers({ web: { url } }, { cwd: "/" });
  await host.servers.start();
  await host.text("mcp__web__ask");
  expect(calls[0]?.headers).not.toHaveProperty("traceparent");
  expect(calls[0]?.meta).not.toHaveProperty("traceparent");
  const seen: ObservedMcpCall[] = [];
  const local = new TestServers({ here: fixtureServer() }, { cwd: "/", onCall: (call) => void seen.push(call) });
  await local.servers.start();
  await local.text(local.names[0] as string).catch(() => undefined);
  expect(seen).toMatchObject([{ server: "here", transport: "stdio" }]);
});
