import { readFile } from "node:fs/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { limitText } from "../../src/mcp/limit-text.ts";
import { nameTools } from "../../src/mcp/tool-names.ts";
import { toToolResult } from "../../src/mcp/tool-result.ts";
import { makePng } from "../tools/images/make-images.ts";

const source = { server: "s", tool: "t", signal: new AbortController().signal };
const details = { server: "s", tool: "t", truncated: false };

function convert(result: CallToolResult) {
  return toToolResult(result, source);
}

test("texts, links and embedded files are text in their order; what cannot be shown is named", async () => {
  const data = Buffer.from("RIFF....").toString("base64");
  const result = await convert({
    content: [
      { type: "text", text: "one" },
      { type: "resource_link", uri: "file:///a.txt", name: "a", description: "The first" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "inside b" } },
      { type: "resource", resource: { uri: "file:///c.zip", blob: data, mimeType: "application/zip" } },
      { type: "audio", data, mimeType: "audio/wav" },
      { type: "text", text: "two" },
    ],
  });
  const text = [
    "one",
    "[resource a: file:///a.txt]\nThe first",
    "file:///b.txt\ninside b",
    "[file:///c.zip: application/zip, 8 B; it cannot be shown]",
    "[audio/wav, 8 B; it cannot be shown]",
    "two",
  ].join("\n\n");
  expect(result).toEqual({ content: [{ type: "text", text }], details });
});

// Each image is decoded in a thread of its own.
test("images are made fit for every provider, ten at most; one that is none is text", async () => {
  const large = makePng(2000, 10).toString("base64");
  const small = makePng(4, 4).toString("base64");
  const image = (data: string) => ({ type: "image" as const, data, mimeType: "image/png" });
  const { content } = await convert({
    content: [image(large), image(Buffer.from("nonsense").toString("base64")), ...Array.from({ length: 11 }, () => image(small))],
  });
  const [first, ...images] = content;
  expect(images).toHaveLength(10);
  const lines = (first?.type === "text" ? first.text : "").split("\n\n");
  expect(lines[0]).toMatch(/^\[image 1: image\/png, 2000×10, .*; scaled down to 1568×7: /);
  expect(lines[1]).toBe("[image: not a PNG, JPEG, GIF or WebP image, so it cannot be shown]");
  expect(lines.slice(-2)).toEqual(Array(2).fill("[image: not shown, because the limit is 10]"));
});

test("structured content is kept for programs, and shown where there is no text", async () => {
  const structuredContent = { temperature: 21 };
  const withText = await convert({ content: [{ type: "text", text: "warm" }], structuredContent });
  expect(withText).toEqual({ content: [{ type: "text", text: "warm" }], details: { ...details, structuredContent } });
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 4000; level += 1) deep = { a: deep };
  const cut = await convert({ content: [], structuredContent: deep });
  expect(cut.content[0]).toMatchObject({ text: expect.stringContaining("nested more than 100 levels deep") });
  const without = await convert({ content: [], structuredContent });
  expect(without.content).toEqual([{ type: "text", text: '{\n "temperature": 21\n}' }]);
  const large = await convert({ content: [{ type: "text", text: "big" }], structuredContent: { value: "x".repeat(60_000) } });
  expect(large.details).toEqual(details);
  // 50 KB of JSON, and one character more.
  const empty = JSON.stringify({ value: "" }, undefined, 1).length;
  const [longest, longer] = [0, 1].map((more) => ({ value: "x".repeat(50 * 1024 - empty + more) }));
  const text = { type: "text" as const, text: "big" };
  expect((await convert({ content: [text], structuredContent: longest })).details).toEqual({
    ...details,
    structuredContent: longest,
  });
  expect((await convert({ content: [text], structuredContent: longer })).details).toEqual(details);
});

test("a result without anything says so, as does an error without a text", async () => {
  expect((await convert({ content: [] })).content).toEqual([{ type: "text", text: "(no output)" }]);
  await expect(convert({ content: [], isError: true })).rejects.toMatchObject({
    message: "t failed without an error message.",
    details,
  });
});

describe("a text over the limits", () => {
  test.each([
    ["lines", `${"line\n".repeat(2500)}`, "line\n".repeat(2000).trimEnd(), "9.8 KB of 12.2 KB"],
    [
      "bytes, at the end of a line",
      "x".repeat(99).concat("\n").repeat(600),
      `${"x".repeat(99)}\n`.repeat(512).slice(0, -1),
      "50.0 KB of 58.6 KB",
    ],
    ["bytes in one line, between two characters", "é€".repeat(20_000), "é€".repeat(10_240), "50.0 KB of 97.7 KB"],
  ])("is cut by %s, and all of it is in a file", async (_name, text, kept, sizes) => {
    const limited = await limitText(text);
    const { fullOutputPath = "" } = limited;
    expect(limited).toEqual({
      text: `${kept}\n\n[Showing the first ${sizes}. Full output: ${fullOutputPath}]`,
      truncated: true,
      fullOutputPath,
    });
    expect(await readFile(fullOutputPath, "utf8")).toBe(text);
  });

  test("is one only from the first line or byte over them", async () => {
    for (const text of ["", "x".repeat(51_200), "line\n".repeat(2000)])
      expect(await limitText(text)).toEqual({ text, truncated: false });
  });
});

test("names of tools do not depend on their order, and no two are alike", () => {
  const tools = [
    { server: "a", tool: "b__c" },
    { server: "a__b", tool: "c" },
    { server: "a", tool: "plain" },
    { server: "ünï", tool: "日本" },
    { server: "ünï", tool: "中文" },
    { server: "long", tool: `${"x".repeat(80)}1` },
    { server: "long", tool: `${"x".repeat(80)}2` },
  ];
  const names = nameTools(tools);
  expect(names[2]).toBe("mcp__a__plain");
  expect(new Set(names).size).toBe(tools.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
  expect(nameTools(tools.toReversed())).toEqual(names.toReversed());
});
