import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { chmod, link, mkdir, readdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deviceIn } from "@pikit/test-kit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  FileError,
  type FileUse,
  followLinks,
  makeFolder,
  makeFolderSync,
  openFile,
  openFileSync,
  readStart,
  readStartSync,
  readWhole,
  readWholeSync,
  reasonOf,
  replaceFile,
  replaceFileSync,
} from "../../src/files/index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pikit-files-")));
const at = (name: string) => join(root, name);
const device = deviceIn(root, "null");
const server = createServer();

beforeAll(async () => {
  execFileSync("mkfifo", [at("pipe")]);
  await mkdir(at("folder"));
  await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  for (const name of ["file", "link", "other"]) rmSync(at(name), { force: true });
});

/** What is no file, and what is said of it. */
const others = [
  { name: "pipe", path: at("pipe"), reason: "it is a pipe, and a regular file is needed (EFTYPE)" },
  { name: "socket", path: at("socket"), reason: "it is a socket, and a regular file is needed (EFTYPE)" },
  { name: "endless device", path: deviceIn(root, "zero"), reason: "it is a device, and a regular file is needed (EFTYPE)" },
  { name: "device without content", path: device, reason: "it is a device, and a regular file is needed (EFTYPE)" },
  { name: "folder", path: at("folder"), reason: "it is a folder, and a regular file is needed (EISDIR)" },
];

/** What a call throws or rejects with. */
async function failureOf(call: () => unknown): Promise<FileError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe.each(others)("a $name", ({ path, reason }) => {
  const uses: FileUse[] = ["read", "append", "record", "overwrite"];

  test.each(uses)("is not opened to %s", async (use) => {
    for (const open of [() => openFile(path, { use }), () => openFileSync(path, { use })]) {
      const error = await failureOf(open);
      expect({ path: error.path, reason: reasonOf(error) }).toEqual({ path, reason });
    }
  });

  test("is neither read, nor replaced, nor written to, and stays what it is", async () => {
    const before = lstatSync(path);
    for (const call of [
      () => readStart(path, 10),
      () => readStartSync(path, 10),
      () => readWhole(path, 10),
      () => readWholeSync(path, 10),
      () => replaceFile(path, "new"),
      () => replaceFileSync(path, () => undefined),
    ]) {
      expect((await failureOf(call)).reason).toBe(reason);
    }
    const after = lstatSync(path);
    expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
  });
});

describe("reading", () => {
  test("ends at the limit, whatever size the file says to have", async () => {
    writeFileSync(at("file"), "0123456789");
    for (const read of [readStart, readStartSync]) {
      expect(await read(at("file"), 4)).toEqual({ bytes: Buffer.from("0123"), size: 10, isCut: true });
      expect(await read(at("file"), 10)).toEqual({ bytes: Buffer.from("0123456789"), size: 10, isCut: false });
    }
    expect((await failureOf(() => readWhole(at("file"), 9))).code).toBe("EFBIG");
    expect((await failureOf(() => readWholeSync(at("file"), 9))).code).toBe("EFBIG");
    expect(String(readWholeSync(at("file"), 10))).toBe("0123456789");
  });

  test("gets all of a file that grows beyond its first buffer, and of those that tell no size", async () => {
    const text = "x".repeat(100_000);
    writeFileSync(at("file"), text);
    expect(String(await readWhole(at("file"), 200_000))).toBe(text);
    if (!existsSync("/proc/self/environ")) return;
    const own = readFileSync("/proc/self/environ");
    expect(await readWhole("/proc/self/environ", 4 * 1024 * 1024)).toEqual(own);
    expect((await readStart("/proc/self/environ", 10)).bytes).toEqual(own.subarray(0, 10));
  });

  test("of what is missing fails as the system says", async () => {
    await expect(readWhole(at("missing"), 1)).rejects.toMatchObject({ code: "ENOENT", syscall: "open" });
    expect(() => readWholeSync(at("missing"), 1)).toThrow(expect.objectContaining({ code: "ENOENT", syscall: "open" }));
  });
});

describe("writing", () => {
  test("through a link writes the file that it leads to, also one that is yet to be made", async () => {
    symlinkSync("file", at("link"));
    expect(await followLinks(at("link"))).toBe(at("file"));
    expect(await replaceFile(at("link"), "one")).toEqual({ created: true });
    expect(
      await replaceFile(at("link"), async function* () {
        yield "tw";
        yield "o";
      }),
    ).toEqual({ created: false });
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("file"), "utf8")).toBe("two");
  });

  test("through a link to a device writes nothing", async () => {
    symlinkSync(device, at("link"));
    expect((await failureOf(() => replaceFile(at("link"), "x"))).reason).toContain("a device");
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  test("a link is not taken for its file where that was asked for", async () => {
    writeFileSync(at("file"), "one");
    symlinkSync("file", at("link"));
    expect(() => openFileSync(at("link"), { use: "append", followLinks: false })).toThrow(
      expect.objectContaining({ code: "ELOOP" }),
    );
    expect((await failureOf(() => replaceFileSync(at("link"), () => undefined))).reason).toContain("a link");
  });

  test("keeps the mode, makes a new file with the mode that was asked for, and leaves nothing beside it", async () => {
    const others = await readdir(root);
    expect(await replaceFile(at("file"), "one", { mode: 0o600 })).toEqual({ created: true });
    expect((await stat(at("file"))).mode & 0o777).toBe(0o600);
    await chmod(at("file"), 0o640);
    const { size } = replaceFileSync(at("file"), (file) => writeSync(file, "three"));
    expect(size).toBe(5);
    expect((await stat(at("file"))).mode & 0o777).toBe(0o640);
    const failing = replaceFile(at("file"), async function* () {
      yield "half";
      throw new Error("no more");
    });
    await expect(failing).rejects.toThrow("no more");
    expect(readFileSync(at("file"), "utf8")).toBe("three");
    expect((await readdir(root)).sort()).toEqual([...others, "file"].sort());
  });

  test("a file with another name stays one file, and has nothing of its longer content before", async () => {
    writeFileSync(at("file"), "a long text");
    await link(at("file"), at("other"));
    await replaceFile(at("file"), "short");
    expect(readFileSync(at("other"), "utf8")).toBe("short");
  });

  test("appending adds to the end; what is not there is made only to record", async () => {
    expect(() => openFileSync(at("file"), { use: "append" })).toThrow(expect.objectContaining({ code: "ENOENT" }));
    for (const use of ["record", "append"] as const) {
      const { file } = openFileSync(at("file"), { use });
      writeSync(file, use);
      closeSync(file);
    }
    expect(readFileSync(at("file"), "utf8")).toBe("recordappend");
    expect((await stat(at("file"))).mode & 0o777).toBe(0o600);
  });
});

describe("folders", () => {
  test("are made with those above them, and may be there", async () => {
    await makeFolder(at("folder/a/b"), 0o700);
    await makeFolder(at("folder/a/b"));
    makeFolderSync(at("folder/c/d"), 0o700);
    makeFolderSync(at("folder/c/d"));
    for (const name of ["a", "a/b", "c", "c/d"]) expect((await stat(at(`folder/${name}`))).mode & 0o777).toBe(0o700);
  });

  test("that cannot be made fail, also in /proc, where Node tries for ever", async () => {
    writeFileSync(at("file"), "");
    const cases = [
      at("file"),
      at("file/below"),
      at("file/far/below"),
      ...(existsSync("/proc/self") ? ["/proc/pikit/sessions"] : []),
    ];
    for (const path of cases) {
      await expect(makeFolder(path)).rejects.toMatchObject({ syscall: "mkdir" });
      expect(() => makeFolderSync(path)).toThrow(expect.objectContaining({ syscall: "mkdir" }));
    }
  });
});
