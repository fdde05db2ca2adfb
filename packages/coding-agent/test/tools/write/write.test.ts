import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deviceIn } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { createWriteTool } from "../../../src/tools/write/definition.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool } from "../run-tool.ts";

const folder = useTempFolder();

function write(path: string, content: string, signal?: AbortSignal) {
  return runTool(createWriteTool(folder.path), { path, content }, signal && { signal });
}

describe("TL-030 write", () => {
  test("creates parent folders and stores exactly the text", async () => {
    const content = "\ufeffa\r\nb\n\n\u2028 é \ttail";
    const path = join(folder.path, "x/y/a.txt");
    expect(await write("x/y/a.txt", content)).toEqual({
      content: [{ type: "text", text: "Created x/y/a.txt (21 B)." }],
      details: { path, bytes: 21, created: true },
    });
    expect(await readFile(path)).toEqual(Buffer.from(content));
    expect((await stat(path)).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test("replaces a file, also with nothing", async () => {
    await write("a.txt", "long content");
    expect(await write("a.txt", "")).toMatchObject({ details: { bytes: 0, created: false } });
    expect(await readFile(join(folder.path, "a.txt"), "utf8")).toBe("");
    expect(await readdir(folder.path)).toEqual(["a.txt"]);
  });

  test("a directory as target, a file as parent, a missing working folder", async () => {
    await mkdir(join(folder.path, "dir"));
    await write("a.txt", "a");
    await expect(write("dir", "x")).rejects.toMatchObject({ code: "is_directory", message: expect.stringContaining("EISDIR") });
    await expect(write("a.txt/b", "x")).rejects.toMatchObject({
      code: "not_directory",
      message: expect.stringContaining("a.txt/b"),
    });
    await expect(write("a.txt/b/c", "x")).rejects.toMatchObject({
      code: "not_directory",
      message: expect.stringContaining("ENOTDIR"),
    });
    const inGoneFolder = runTool(createWriteTool(join(folder.path, "gone")), { path: "a", content: "" });
    await expect(inGoneFolder).rejects.toMatchObject({ code: "cwd_missing" });
  });
});

describe("TL-028 what a file is stays", () => {
  test("its mode, whatever the umask takes away", async () => {
    const path = join(folder.path, "a.sh");
    await writeFile(path, "");
    await chmod(path, 0o777);
    await write("a.sh", "x");
    expect((await stat(path)).mode & 0o7777).toBe(0o777);
  });

  test("a link, also one to a file that does not exist yet", async () => {
    await mkdir(join(folder.path, "real"));
    await symlink("real/new.txt", join(folder.path, "link"));
    await write("link", "x");
    expect((await lstat(join(folder.path, "link"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder.path, "real/new.txt"), "utf8")).toBe("x");
  });

  test("its other hard links", async () => {
    await write("a.txt", "old");
    await link(join(folder.path, "a.txt"), join(folder.path, "b.txt"));
    await write("a.txt", "new");
    expect(await readFile(join(folder.path, "b.txt"), "utf8")).toBe("new");
  });

  test("a device, a pipe and a link to one are neither written to nor replaced, and nobody waits for a reader", async () => {
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    const device = deviceIn(folder.path, "null");
    await symlink(device, join(folder.path, "nowhere"));
    for (const path of [device, deviceIn(folder.path, "zero"), "pipe", "nowhere"]) {
      await expect(write(path, "x")).rejects.toMatchObject({
        code: "not_a_file",
        message: `Cannot write ${path}: it is a device, pipe or socket. Use bash to write to it.`,
      });
    }
    expect((await stat(device)).isCharacterDevice()).toBe(true);
    expect((await stat(join(folder.path, "pipe"))).isFIFO()).toBe(true);
    expect((await lstat(join(folder.path, "nowhere"))).isSymbolicLink()).toBe(true);
  });
});

describe("TL-031 either the old or the new content", () => {
  test("an abort leaves the old one and no other file", async () => {
    await write("a.txt", "old");
    await expect(write("a.txt", "new", AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    const controller = new AbortController();
    const writing = write("a.txt", "x".repeat(10_000_000), controller.signal);
    setImmediate(() => controller.abort(new Error("stop")));
    await expect(writing).rejects.toThrow("stop");
    expect(await readFile(join(folder.path, "a.txt"), "utf8")).toBe("old");
    expect(await readdir(folder.path)).toEqual(["a.txt"]);
  });

  test("a process killed while it writes leaves whole files only", async () => {
    const program = fileURLToPath(new URL("./fixtures/rewrite-forever.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=pikit-source", program, folder.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    for (let look = 0; look < 50; look++) {
      const content = await readFile(join(folder.path, "a.txt"), "utf8");
      expect(content).toMatch(/^(a{2000000}|b{2000000})$/);
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await readFile(join(folder.path, "a.txt"), "utf8")).toMatch(/^(a{2000000}|b{2000000})$/);
  });
});
