import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentToolResult } from "@pikit/agent";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { useTempFolder } from "../exec/temp-folder.ts";
import { TestServers } from "./helpers.ts";

// The reference server of the protocol's authors, as it comes from the npm registry.
const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");
const program = join(dirname(manifest), "dist/index.js");
const folder = useTempFolder();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Starts the server on a port, and waits until it says that it listens. */
async function startHttp(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const chunk of child.stderr as AsyncIterable<Buffer>) if (String(chunk).includes("listening")) break;
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe.each(["stdio", "http"] as const)("the reference server over %s", (kind) => {
  let http: ChildProcess | undefined;
  let url = "";

  beforeAll(async () => {
    if (kind === "stdio") return;
    const port = await freePort();
    url = `http://127.0.0.1:${port}/mcp`;
    http = await startHttp(port);
  });
  afterAll(async () => {
    if (http) await end(http);
  });

  async function connect(): Promise<TestServers> {
    const config = kind === "stdio" ? { command: process.execPath, args: [program, "stdio"] } : { url };
    const host = new TestServers({ everything: config }, { cwd: folder.path, offline: true });
    await host.servers.start();
    return host;
  }

  test("brings its tools, which give text, images, links, structured content and errors", async () => {
    const host = await connect();
    expect(host.problems).toEqual([]);
    expect(host.servers.instructions[0]).toMatchObject({ server: "everything" });
    expect(await host.text("mcp__everything__echo", { message: "hello" })).toBe("Echo: hello");
    expect(await host.text("mcp__everything__get-sum", { a: 2, b: 40 })).toContain("42");
    expect(await host.text("mcp__everything__get-tiny-image")).toMatch(/\[image 1: image\/png, .*\|<image image\/png>$/s);
    expect(await host.call("mcp__everything__get-structured-content", { location: "Chicago" })).toMatchObject({
      details: { structuredContent: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 } },
    });
    expect(await host.text("mcp__everything__get-resource-links", { count: 2 })).toContain("[resource ");
    await expect(host.call("mcp__everything__get-sum", { a: "two" })).rejects.toMatchObject({ code: "mcp_tool_error" });
  });

  test("is told of the folder, and brings another tool once it knows that it can ask", async () => {
    const host = await connect();
    while (!host.names.includes("mcp__everything__get-roots-list")) await host.nextTools();
    expect(await host.text("mcp__everything__get-roots-list")).toContain(pathToFileURL(folder.path).href);
  });

  test("reports progress, and an abort ends a long operation", async () => {
    const host = await connect();
    const controller = new AbortController();
    const updates: AgentToolResult[] = [];
    const call = host.call(
      "mcp__everything__trigger-long-running-operation",
      { duration: 60, steps: 600 },
      {
        signal: controller.signal,
        onUpdate(update) {
          updates.push(update);
          controller.abort();
        },
      },
    );
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(updates[0]?.content).toEqual([{ type: "text", text: expect.stringMatching(/^\d+\/600/) }]);
  });
});

test("a server behind HTTP that has been restarted is met again", async () => {
  const port = await freePort();
  const first = await startHttp(port);
  const host = new TestServers({ everything: { url: `http://localhost:${port}/mcp` } }, { cwd: folder.path });
  await host.servers.start();
  await end(first);
  await expect(host.call("mcp__everything__echo", { message: "anybody?" })).rejects.toMatchObject({
    code: "mcp_failed",
    message: "echo of the MCP server everything failed: fetch failed (ECONNREFUSED).",
  });
  const second = await startHttp(port);
  onTestFinished(() => end(second));
  expect(await host.text("mcp__everything__echo", { message: "again" })).toBe("Echo: again");
});
