import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess } from "../../../src/exec/run-process.ts";
import { localFiles } from "../../../src/tools/files/local-files.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";

const folder = useTempFolder();
const { signal } = new AbortController();
const at = (name: string) => join(folder.path, name);

test("facts and entries tell files, folders, links and others apart", async () => {
  await mkdir(at("dir"));
  await writeFile(at("file"), "12345");
  await symlink("file", at("link"));
  await runProcess({ command: "mkfifo pipe", cwd: folder.path });
  expect((await localFiles.readdir(folder.path)).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "dir", type: "directory" },
    { name: "file", type: "file" },
    { name: "link", type: "link" },
    { name: "pipe", type: "other" },
  ]);
  expect(await localFiles.stat(at("link"))).toEqual({
    ...{ type: "file", size: 5, modifiedMs: expect.any(Number) },
    mode: (await stat(at("file"))).mode & 0o7777,
  });
  expect((await localFiles.lstat(at("link"))).type).toBe("link");
  expect(await localFiles.readlink(at("link"))).toBe("file");
  expect(await localFiles.realpath(at("link"))).toBe(at("file"));
});

test("a file is read from any position, and replaced as a whole", async () => {
  expect(await localFiles.replace(at("a"), "hello", signal)).toEqual({ created: true });
  expect(await localFiles.replace(at("a"), Buffer.from("world"), signal)).toEqual({ created: false });
  const file = await localFiles.open(at("a"));
  const buffer = new Uint8Array(8);
  expect(await file.read(buffer, 2)).toBe(3);
  expect(Buffer.from(buffer.subarray(0, 3)).toString()).toBe("rld");
  expect(await file.read(buffer, 5)).toBe(0);
  await file.close();
  await localFiles.mkdir(at("x/y"));
  await localFiles.mkdir(at("x/y"));
  await localFiles.replace(at("x/y/b"), "b", signal);
  expect(await readFile(at("x/y/b"), "utf8")).toBe("b");
});

test("what fails has the system's code and call", async () => {
  await expect(localFiles.stat(at("no"))).rejects.toMatchObject({ code: "ENOENT", syscall: "stat" });
  await expect(localFiles.open(at("no"))).rejects.toMatchObject({ code: "ENOENT", syscall: "open" });
  await expect(localFiles.readdir(at("no"))).rejects.toMatchObject({ code: "ENOENT", syscall: "scandir" });
});
