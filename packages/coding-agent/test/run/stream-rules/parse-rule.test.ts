import { assertLinear } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { parseStreamRule } from "../../../src/run/stream-rules/parse-rule.ts";

const file = (frontMatter: string, content = "Use the logger.") => `---\n${frontMatter}\n---\n${content}\n`;

test("a file with only a trigger has the defaults, and its own name", async () => {
  expect(await parseStreamRule(file("ttsrTrigger: console\\.log\\("), "/home/x/.pi/agent/rules/no-console.md")).toEqual({
    name: "no-console",
    path: "/home/x/.pi/agent/rules/no-console.md",
    trigger: "console\\.log\\(",
    content: "Use the logger.",
    contextMode: "discard",
    repeatMode: "once",
    repeatGap: 10,
  });
});

test("a file may say everything; fields of other programs are left alone", async () => {
  const text = [
    ...["\uFEFF---", "name: Logger", "description: No console", 'ttsrTrigger: "a: b"', "contextMode: keep"],
    ...["repeatMode: after-gap", "repeatGap: 3", "globs: ['*.ts']", "__proto__: {x: 1}", "---", "", "# Text", "---", "More", ""],
  ].join("\r\n");
  expect(await parseStreamRule(text, "r.md")).toEqual({
    name: "Logger",
    description: "No console",
    path: "r.md",
    trigger: "a: b",
    content: "# Text\r\n---\r\nMore",
    contextMode: "keep",
    repeatMode: "after-gap",
    repeatGap: 3,
  });
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test.each([
  ["Use the logger.", 'it must begin with front matter between two lines "---"'],
  ["---\nttsrTrigger: x\nno end", 'it must begin with front matter between two lines "---"'],
  [file("name: a"), 'it has no "ttsrTrigger"'],
  [file("ttsrTrigger: [a, b]"), '"ttsrTrigger" must be a non-empty text'],
  [file("ttsrTrigger: ''"), '"ttsrTrigger" must be a non-empty text'],
  [file("ttsrTrigger: x\nname: 5"), '"name" must be a non-empty text'],
  [file("ttsrTrigger: x\ncontextMode: drop"), '"contextMode" must be discard or keep, but is "drop"'],
  [file("ttsrTrigger: x\nrepeatMode: often"), '"repeatMode" must be once or after-gap'],
  [file("ttsrTrigger: x\nrepeatGap: 0"), '"repeatGap" must be a whole number'],
  [file("ttsrTrigger: x\nname: [a"), "line 4 of its front matter is not YAML"],
  [file("ttsrTrigger: x\nttsrTrigger: y"), "line 3 of its front matter is not YAML (DUPLICATE_KEY)"],
  [file("- a\n- b"), "must be a list of `name: value`"],
  [file("ttsrTrigger: x", " \n"), "there is no text for the model"],
])("%j is refused, naming the file", async (text, reason) => {
  const refused = parseStreamRule(text, "rules/bad.md");
  await expect(refused).rejects.toMatchObject({ code: "invalid_input" });
  await expect(refused).rejects.toThrow("The stream rule rules/bad.md cannot be used: ");
  await expect(refused).rejects.toThrow(reason);
});

test("SC-014 a megabyte of hostile text is read or refused in linear time", async () => {
  for (const piece of ["---\n", " \r\n", "--- "]) {
    await assertLinear(1_000_000, (length) => {
      const text = `---\n${piece.repeat(length / piece.length)}`;
      return () => parseStreamRule(text, "r.md").catch(() => undefined);
    });
  }
});

test("a bomb of aliases is refused", async () => {
  const lines = Array.from(
    { length: 20 },
    (_, index) => `l${index}: &l${index} [${`*l${index - 1},`.repeat(index === 0 ? 0 : 9)}]`,
  );
  await expect(parseStreamRule(file([...lines, "ttsrTrigger: x"].join("\n")), "r.md")).rejects.toThrow();
});

test("front matter stands at the beginning of the file, or it is none", async () => {
  const text = "# Notes\n\n---\nttsrTrigger: x\n---\nText.\n";
  await expect(parseStreamRule(text, "/rules/x.md")).rejects.toMatchObject({
    message: expect.stringContaining("must begin with front matter"),
  });
});
