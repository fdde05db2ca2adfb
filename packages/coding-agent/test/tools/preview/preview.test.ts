import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createPreviewTool, type PreviewTool } from "../../../src/tools/preview/definition.ts";
import type { PreviewParameters } from "../../../src/tools/preview/parameters.ts";
import type { PreviewEvent, PreviewToolOptions } from "../../../src/tools/preview/run.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();
const tools: PreviewTool[] = [];
afterEach(() => Promise.all(tools.splice(0).map((tool) => tool.dispose())));

function createTool(options: PreviewToolOptions = {}): { tool: PreviewTool; events: PreviewEvent[] } {
  const events: PreviewEvent[] = [];
  const tool = createPreviewTool(folder.path, { onPreview: (event) => events.push(event), ...options });
  tools.push(tool);
  return { tool, events };
}

/** Starts a preview of `site`, with these files in it. */
async function serve(files: Record<string, string | Uint8Array>, params: PreviewParameters = { path: "site" }) {
  await mkdir(join(folder.path, "site"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder.path, "site", name, ".."), { recursive: true });
    await writeFile(join(folder.path, "site", name), content);
  }
  const { tool, events } = createTool();
  const result = await runTool(tool, params);
  return { tool, events, result, port: result.details.port as number };
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A request whose path is sent as it is. */
function get(port: number, path: string, options: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function takePort(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as { port: number }).port };
}

describe("what is served", () => {
  test("files with their types, read anew each time", async () => {
    const { port } = await serve({ "a.js": "1", "b.css": "2", "c.svg": "3", "d.unknown": "4", "e.wasm": "5", "Ünï x.txt": "6" });
    const types: (string | undefined)[] = [];
    for (const name of ["a.js", "b.css", "c.svg", "d.unknown", "e.wasm", encodeURIComponent("Ünï x.txt")]) {
      const { status, headers } = await get(port, `/${name}`);
      expect(status).toBe(200);
      types.push(headers["content-type"]);
    }
    expect(types).toEqual([
      "text/javascript; charset=utf-8",
      "text/css; charset=utf-8",
      "image/svg+xml; charset=utf-8",
      "application/octet-stream",
      "application/wasm",
      "text/plain; charset=utf-8",
    ]);
    await writeFile(join(folder.path, "site/a.js"), "changed");
    const { body, headers } = await get(port, "/a.js?v=2");
    expect(body).toBe("changed");
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  });

  test("index.html for a folder, a redirect where the slash is missing, a listing where there is no index", async () => {
    const { port } = await serve({ "index.html": "<p>home", "sub/index.html": "sub", "list/<b>&.txt": "x", "list/.env": "secret" });
    expect((await get(port, "/")).body).toBe("<p>home");
    expect((await get(port, "/sub/")).body).toBe("sub");
    expect(await get(port, "/sub?a=b")).toMatchObject({ status: 301, headers: { location: "/sub/?a=b" } });
    expect(await get(port, "//sub")).toMatchObject({ status: 301, headers: { location: "/sub/" } });
    const { body, headers } = await get(port, "/list/");
    expect(body).toBe(
      '<!doctype html>\n<meta charset="utf-8">\n<title>/list/</title>\n<h1>/list/</h1>\n<ul>\n<li><a href="../">..</a></li>\n' +
        '<li><a href="./%3Cb%3E%26.txt">&#60;b&#62;&#38;.txt</a></li>\n</ul>\n',
    );
    expect(headers["content-security-policy"]).toBe("default-src 'none'");
  });

  test("HEAD, one range, and ranges that cannot be", async () => {
    const { port } = await serve({ "a.txt": "0123456789" });
    expect(await get(port, "/a.txt", { method: "HEAD" })).toMatchObject({
      status: 200,
      headers: { "content-length": "10" },
      body: "",
    });
    const range = (value: string) => get(port, "/a.txt", { headers: { range: value } });
    expect(await range("bytes=2-4")).toMatchObject({ status: 206, headers: { "content-range": "bytes 2-4/10" }, body: "234" });
    expect(await range("bytes=7-")).toMatchObject({ status: 206, body: "789" });
    expect(await range("bytes=-2")).toMatchObject({ status: 206, body: "89" });
    expect(await range("bytes=8-99")).toMatchObject({ status: 206, headers: { "content-length": "2" }, body: "89" });
    expect(await range("bytes=10-")).toMatchObject({ status: 416, headers: { "content-range": "bytes */10" } });
    expect(await range("bytes=-0")).toMatchObject({ status: 416 });
    for (const none of ["bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-"]) {
      expect(await range(none)).toMatchObject({ status: 200, body: "0123456789" });
    }
  });

  test("large files whole, and empty ones", async () => {
    const bytes = Buffer.alloc(5_000_000, "x");
    const { port } = await serve({ "large.bin": bytes, "empty.txt": "" });
    expect((await get(port, "/large.bin")).body).toBe(bytes.toString());
    expect(await get(port, "/empty.txt")).toMatchObject({ status: 200, body: "", headers: { "content-length": "0" } });
  });

  test("a page can be named in the place of a folder", async () => {
    const { result, port } = await serve({ "my page.html": "page" }, { path: "site/my page.html" });
    expect(result.details).toEqual({ url: `http://127.0.0.1:${port}/my%20page.html`, port, path: join(folder.path, "site") });
    expect((await get(port, "/my%20page.html")).body).toBe("page");
  });
});

describe("what is not served", () => {
  test("nothing above the folder, however it is spelt", async () => {
    await writeFile(join(folder.path, "secret.txt"), "secret");
    const { port } = await serve({ "a/b.txt": "b" });
    const paths = [
      "/../secret.txt",
      "/a/../../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/%2e%2e%2fsecret.txt",
      "/a/%2e%2e/%2e%2e/secret.txt",
      "/..\\secret.txt",
      "/..%5csecret.txt",
      "/%00/../secret.txt",
      "/%c0%ae%c0%ae/secret.txt",
      `/${join(folder.path, "secret.txt")}`,
      "/%zz",
      "/a/b.txt/",
      "/a/b.txt/../../../secret.txt",
      "http://127.0.0.1/../secret.txt",
    ];
    for (const path of paths) expect({ path, ...(await get(port, path)) }).toMatchObject({ path, status: 404 });
  });

  test("nothing that links lead out to; links inside are followed", async () => {
    await mkdir(join(folder.path, "other"));
    await writeFile(join(folder.path, "other/secret.txt"), "secret");
    const { port } = await serve({ "in/a.txt": "a", ".hidden/b.txt": "b" });
    await symlink("../other", join(folder.path, "site/out"));
    await symlink("../other/secret.txt", join(folder.path, "site/file.txt"));
    await symlink("in", join(folder.path, "site/link"));
    await symlink(".hidden/b.txt", join(folder.path, "site/shown.txt"));
    for (const path of ["/out/", "/out/secret.txt", "/file.txt", "/shown.txt"]) expect((await get(port, path)).status).toBe(404);
    expect((await get(port, "/link/a.txt")).body).toBe("a");
  });

  test("no hidden files but .well-known, and nothing that is no file", async () => {
    const { port } = await serve({ ".env": "secret", ".git/config": "x", ".well-known/a.txt": "a" });
    execFileSync("mkfifo", [join(folder.path, "site/pipe")]);
    for (const path of ["/.env", "/.git/config", "/.git/", "/pipe", "/missing"]) expect((await get(port, path)).status).toBe(404);
    expect((await get(port, "/.well-known/a.txt")).body).toBe("a");
  });

  test("no other host name, and no other method", async () => {
    const { port } = await serve({ "a.txt": "a" });
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1:1", `127.0.0.1:${port}.evil.example`]) {
      expect(await get(port, "/a.txt", { headers: { host } })).toMatchObject({ status: 421 });
    }
    expect((await get(port, "/a.txt", { headers: { host: `LOCALHOST:${port}` } })).body).toBe("a");
    expect(await get(port, "/a.txt", { method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  // Elsewhere the second loopback address is not there to be tried.
  test.runIf(process.platform === "linux")("only the loopback address listens", async () => {
    const { port } = await serve({});
    const socket = connect(port, "127.0.0.2");
    const outcome = await new Promise((resolve) => {
      socket.on("connect", () => resolve("connected"));
      socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
    socket.destroy();
    expect(outcome).toBe("ECONNREFUSED");
  });

  test("a file that gets shorter while it is sent breaks the connection off", async () => {
    const path = join(folder.path, "site/large.bin");
    const { port } = await serve({ "large.bin": Buffer.alloc(50_000_000) });
    const outcome = new Promise((resolve) => {
      request({ host: "127.0.0.1", port, path: "/large.bin", agent: false }, (response) => {
        response.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
        response.on("end", () => resolve("ended"));
        void truncate(path, 1000).then(() => response.resume());
      }).end();
    });
    expect(await outcome).toBe("ECONNRESET");
  });
});

describe("life", () => {
  test("one at a time: another start replaces it, stop ends it", async () => {
    const { tool, events, port, result } = await serve({ "a.txt": "a" });
    expect(textOf(result)).toBe(`Serving site at http://127.0.0.1:${port} until it is stopped or the session ends.`);
    const again = await runTool(tool, { path: "." });
    await expect(get(port, "/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const stopped = await runTool(tool, { stop: true });
    expect(textOf(stopped)).toBe(`Stopped the preview at ${again.details.url}.`);
    expect(stopped.details).toEqual({ url: null, port: null, path: null });
    expect(textOf(await runTool(tool, { stop: true }))).toBe("No preview is running.");
    await expect(get(again.details.port as number, "/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(events).toEqual([
      { type: "started", path: "site", port },
      { type: "ready", url: `http://127.0.0.1:${port}`, port },
      { type: "stopped", reason: "replaced by another preview" },
      { type: "started", path: ".", port: again.details.port },
      { type: "ready", url: again.details.url, port: again.details.port },
      { type: "stopped", reason: "manual stop" },
    ]);
  });

  test("the same port can be given again", async () => {
    const { tool, port } = await serve({ "a.txt": "a" });
    expect((await runTool(tool, { path: "site", port })).details.port).toBe(port);
    expect((await get(port, "/a.txt")).body).toBe("a");
  });

  test("a port that is taken is told in words", async () => {
    const { port } = await takePort();
    await mkdir(join(folder.path, "site"));
    const { tool, events } = createTool();
    const message = `Port ${port} is in use by another program. Give another port, or none to get a free one.`;
    await expect(runTool(tool, { path: "site", port })).rejects.toMatchObject({ name: "ToolError", code: "port_in_use", message });
    expect(events).toEqual([
      { type: "started", path: "site", port },
      { type: "failed", message },
    ]);
    expect(textOf(await runTool(tool, { stop: true }))).toBe("No preview is running.");
  });

  test("a folder that is not there or not in the working folder is told in words", async () => {
    await mkdir(join(folder.path, "work"));
    await symlink("..", join(folder.path, "work/up"));
    const tool = createPreviewTool(join(folder.path, "work"));
    tools.push(tool);
    await expect(runTool(tool, { path: "dist" })).rejects.toMatchObject({ code: "not_found" });
    for (const path of ["..", "/etc", "up"]) {
      await expect(runTool(tool, { path })).rejects.toMatchObject({
        code: "outside",
        message: expect.stringContaining("working folder"),
      });
    }
  });

  test("path or stop, not both and not neither", async () => {
    const { tool } = createTool();
    for (const params of [{}, { stop: false }, { stop: true, path: "." }]) {
      await expect(runTool(tool, params)).rejects.toMatchObject({ code: "invalid_arguments" });
    }
  });

  test("an abort before the start starts nothing", async () => {
    const { tool, events } = createTool();
    await expect(runTool(tool, { path: "." }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(events).toEqual([]);
  });

  test("the end of the session ends it, with readers that never read, and for good", async () => {
    const { tool, events, port } = await serve({ "large.bin": Buffer.alloc(50_000_000) });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(`GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await new Promise((resolve) => socket.once("readable", resolve));
    const starting = runTool(tool, { path: "." }).catch((error: Error) => error.message);
    await Promise.all([tool.dispose(), tool.dispose()]);
    expect(await starting).toBe("Not started: the session has ended.");
    socket.resume();
    await closed;
    await expect(get(port, "/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(events.slice(2)).toEqual([{ type: "stopped", reason: "the session ended" }]);
  });
});
