import { chmod, mkdir, open, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { heldBytes } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { runProcess } from "../../../src/exec/run-process.ts";
import { createReadTool } from "../../../src/tools/read/definition.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { bytesRead } from "../../helpers/processes.ts";
import { makePng } from "../images/make-images.ts";
import { runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function read(params: { path: string; offset?: number; limit?: number }, signal?: AbortSignal) {
  return runTool(createReadTool(folder.path), params, signal && { signal });
}

async function file(name: string, content: string | Uint8Array) {
  await writeFile(join(folder.path, name), content);
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
}

describe("text", () => {
  test("a whole file, with what is told to user interfaces", async () => {
    await file("a.txt", "one\ntwo\n");
    expect(await read({ path: "a.txt" })).toEqual({
      content: [{ type: "text", text: "one\ntwo" }],
      details: {
        path: join(folder.path, "a.txt"),
        truncated: false,
        truncatedBy: null,
        firstLine: 1,
        outputLines: 2,
        outputBytes: 7,
        totalLines: 2,
      },
    });
  });

  test("TL-014 TL-043 at most 2000 lines, with the offset to go on", async () => {
    await file("a.txt", numbered(2500));
    const result = await read({ path: "a.txt" });
    expect(textOf(result)).toMatch(
      /^line 1\n[\s\S]*\nline 2000\n\n\[Showing lines 1-2000 of 2500 \(2000-line limit\)\. Continue with offset=2001\.\]$/,
    );
    expect(result.details).toMatchObject({
      truncated: true,
      truncatedBy: "lines",
      firstLine: 1,
      outputLines: 2000,
      totalLines: 2500,
    });
    expect(textOf(await read({ path: "a.txt", offset: 2001 }))).toBe(numbered(2500).split("\n").slice(2000, 2500).join("\n"));
  });

  test("TL-014 at most 50 KB, never half a line", async () => {
    await file("a.txt", `${"é".repeat(500)}\n`.repeat(100));
    const result = await read({ path: "a.txt" });
    expect(textOf(result)).toMatch(/é{500}\n\n\[Showing lines 1-51 of 100 \(50\.0 KB limit\)\. Continue with offset=52\.\]$/);
    expect(result.details).toMatchObject({ truncatedBy: "bytes", outputLines: 51, outputBytes: 51 * 1001 - 1 });
  });

  test("TL-014 a first line over the limit is explained, and the command in the text shows its beginning", async () => {
    await file("it's long.txt", `first\n${"x".repeat(60_000)}\nlast`);
    const text = textOf(await read({ path: "it's long.txt", offset: 2 }));
    expect(text).toMatch(/^\[Line 2 alone is over the 50\.0 KB limit\..*offset=3\.\]$/);
    const command = /bash: (.*)\. The next/.exec(text)?.[1] ?? "";
    expect((await runProcess({ command, cwd: "/" })).output).toBe("x".repeat(51_200));
    expect(textOf(await read({ path: "it's long.txt", offset: 3 }))).toBe("last");
  });

  test("TL-015 offset is 1-based; limit leaves a note of what is left", async () => {
    await file("a.txt", numbered(10));
    expect(textOf(await read({ path: "a.txt", offset: 4, limit: 2 }))).toBe(
      "line 4\nline 5\n\n[5 more lines in the file. Continue with offset=6.]",
    );
    expect(textOf(await read({ path: "a.txt", offset: 9, limit: 2 }))).toBe("line 9\nline 10");
    expect(textOf(await read({ path: "a.txt", offset: 10 }))).toBe("line 10");
  });

  test("TL-015 offset past the end names the total", async () => {
    await file("a.txt", numbered(10));
    await expect(read({ path: "a.txt", offset: 11 })).rejects.toMatchObject({
      code: "out_of_range",
      message: "Offset 11 is past the end of a.txt, which has 10 lines. Use an offset from 1 to 10.",
    });
  });

  test("TL-015 the schema refuses zero, negative and fractional values", () => {
    const { offset, limit } = createReadTool(folder.path).parameters.properties;
    expect([offset, limit]).toMatchObject([
      { type: "integer", minimum: 1 },
      { type: "integer", minimum: 1 },
    ]);
  });

  test("TL-018 empty files say so, and an offset in one is past its end", async () => {
    await file("empty", "");
    await file("bom", "\ufeff");
    expect(textOf(await read({ path: "empty" }))).toBe("(empty is an empty file)");
    expect(textOf(await read({ path: "bom" }))).toBe("(bom is an empty file)");
    await expect(read({ path: "empty", offset: 2 })).rejects.toMatchObject({ code: "out_of_range" });
  });

  test("TL-018 a byte order mark is not shown, and says which encoding it is", async () => {
    await file("utf8", "\ufeffhé\n");
    await file("utf16le", Buffer.from("\ufeffhé\r\nx", "utf16le"));
    await file("utf16be", Buffer.from("\ufeffhé\r\nx", "utf16le").swap16());
    expect(textOf(await read({ path: "utf8" }))).toBe("hé");
    expect(textOf(await read({ path: "utf16le" }))).toBe("hé\nx");
    expect(textOf(await read({ path: "utf16be" }))).toBe("hé\nx");
  });

  test("CRLF, a missing final line feed, blank lines, bytes that are not UTF-8", async () => {
    await file("crlf", "a\r\n\r\nb");
    await file("latin1", Buffer.from("caf\xe9\n", "latin1"));
    expect(textOf(await read({ path: "crlf" }))).toBe("a\n\nb");
    expect(textOf(await read({ path: "latin1" }))).toBe("caf\ufffd");
  });

  test("a line that spans many chunks of the file, and characters across their borders", async () => {
    await file("a.txt", `${"x".repeat(262_143)}€\n${"y".repeat(300_000)}\nlast €\n`);
    expect(textOf(await read({ path: "a.txt", offset: 3 }))).toBe("last €");
  });

  test("TL-018 for a few lines of a 2 GB file little is read, and held", async () => {
    const path = join(folder.path, "huge");
    await writeFile(path, `${numbered(5)}`);
    await truncate(path, 2_000_000_000); // The rest is a hole, read as NUL.
    const [heldBefore, readBefore] = [await heldBytes(), bytesRead()];
    const result = await read({ path: "huge", offset: 2, limit: 2 }).catch((error: unknown) => error);
    expect(result).toMatchObject({ code: "binary" });
    const handle = await open(path, "r+");
    await handle.write(numbered(2000), 0);
    await handle.close();
    expect(await read({ path: "huge", offset: 2, limit: 2 })).toMatchObject({
      content: [{ text: "line 2\nline 3\n\n[More lines in the file. Continue with offset=4.]" }],
      details: { totalLines: null },
    });
    expect((bytesRead() - readBefore) / 1e6).toBeLessThan(50);
    expect(((await heldBytes()) - heldBefore) / 1e6).toBeLessThan(10);
  });

  test("an abort stops a long scan", async () => {
    const path = join(folder.path, "huge");
    await writeFile(path, "x".repeat(10_000));
    await truncate(path, 2_000_000_000);
    const controller = new AbortController();
    const reading = read({ path: "huge", offset: 5 }, controller.signal);
    setImmediate(() => controller.abort(new Error("stop")));
    await expect(reading).rejects.toThrow("stop");
  });
});

describe("what is not text", () => {
  test("TL-018 binary files are reported with what to do", async () => {
    await file("a.bin", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
    await expect(read({ path: "a.bin" })).rejects.toMatchObject({
      code: "binary",
      message:
        "a.bin is a binary file (6 B) and cannot be shown as text. Look into it with bash, for example with file, strings or xxd | head.",
    });
  });

  test("TL-016 images are recognised by content, not by name", async () => {
    await file("picture.txt", png);
    await file("text.png", "not a picture\n");
    expect(await read({ path: "picture.txt" })).toMatchObject({
      content: [
        { type: "text", text: "[picture.txt: image/png, 1×1, 70 B]" },
        { type: "image", data: png.toString("base64"), mimeType: "image/png" },
      ],
      details: { mimeType: "image/png", imageSize: { width: 1, height: 1 }, shownImageSize: { width: 1, height: 1 } },
    });
    expect(textOf(await read({ path: "text.png" }))).toBe("not a picture");
  });

  test("TL-017 an image beyond the limits is scaled down, with a note and both sizes for user interfaces", async () => {
    await file("wide.png", makePng(3136, 20));
    expect(await read({ path: "wide.png" })).toMatchObject({
      content: [
        {
          type: "text",
          text: "[wide.png: image/png, 3136×20, 1.4 KB; scaled down to 1568×10: multiply coordinates in it by 2.000 for those in the file]",
        },
        { type: "image", mimeType: "image/png" },
      ],
      details: { imageSize: { width: 3136, height: 20 }, shownImageSize: { width: 1568, height: 10 }, totalLines: null },
    });
  });

  test("TL-017 a corrupt image is a note, and so is a file too large to look into", async () => {
    await file("cut.png", png.subarray(0, 40));
    await file("huge.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
    await truncate(join(folder.path, "huge.jpg"), 65 * 1024 * 1024);
    expect(await read({ path: "cut.png" })).toMatchObject({
      content: [{ type: "text", text: expect.stringMatching(/^\[cut\.png: image\/png, 1×1, 40 B; it cannot be decoded/) }],
    });
    expect((await read({ path: "cut.png" })).content).toHaveLength(1);
    expect((await read({ path: "huge.jpg" })).content).toEqual([
      { type: "text", text: expect.stringContaining("[huge.jpg: image/jpeg, 65.0 MB; too large to show: the limit is 64.0 MB.") },
    ]);
  });

  test.each([
    ["BMP", Buffer.from("BM\x46\0\0\0", "latin1")],
    ["TIFF", Buffer.from("II*\0\x08\0\0\0", "latin1")],
    ["HEIC", Buffer.from("\0\0\0\x18ftypheic\0\0", "latin1")],
    ["AVIF", Buffer.from("\0\0\0\x18ftypavif\0\0", "latin1")],
  ])("TL-016 %s is named, with what to do", async (format, bytes) => {
    await file("image", bytes);
    await expect(read({ path: "image" })).rejects.toMatchObject({
      code: "unsupported_image",
      message: expect.stringContaining(`image is an image in ${format} format`),
    });
  });

  test("TL-020 a directory, a missing file, a file as a parent, a pipe: errors that name path and code", async () => {
    await mkdir(join(folder.path, "dir"));
    await file("a.txt", "a");
    await runProcess({ command: "mkfifo pipe", cwd: folder.path });
    await expect(read({ path: "dir" })).rejects.toMatchObject({
      code: "is_directory",
      message: expect.stringMatching(/dir.*EISDIR/),
    });
    await expect(read({ path: "no.txt" })).rejects.toMatchObject({
      code: "not_found",
      message: `Cannot read no.txt (${join(folder.path, "no.txt")}): there is no such file (ENOENT). Check the spelling, or list the folder.`,
    });
    await expect(read({ path: "a.txt/b" })).rejects.toMatchObject({
      code: "not_directory",
      message: expect.stringContaining("ENOTDIR"),
    });
    await expect(read({ path: "pipe" })).rejects.toMatchObject({ code: "not_a_file" });
    await symlink("loop", join(folder.path, "loop"));
    await expect(read({ path: "loop" })).rejects.toMatchObject({ code: "invalid_path", message: expect.stringContaining("ELOOP") });
  });

  test.skipIf(process.getuid?.() === 0)("a file that may not be read", async () => {
    await file("secret", "x");
    await chmod(join(folder.path, "secret"), 0);
    await expect(read({ path: "secret" })).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining("EACCES"),
    });
  });

  test("TL-044 a working folder that is gone", async () => {
    await expect(runTool(createReadTool(join(folder.path, "gone")), { path: "a" })).rejects.toMatchObject({ code: "cwd_missing" });
  });
});
