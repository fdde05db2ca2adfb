import { expect, test } from "vitest";
import { joinPrompt, withoutFiles } from "../../src/modes/files-in-prompt.ts";
import { toPromptFile } from "../../src/modes/prompt-files.ts";

test("the typed text is what remains without the files before it", async () => {
  const typed = 'Look at "this"\n\n<file name="x"> is a tag';
  const bodies = ["", "a", "a\n\nb\n", "</file>\n\nx", '<file name="b">\n'];
  const files = await Promise.all(bodies.map((body, index) => toPromptFile(`a "${index}"`, Buffer.from(body))));
  expect(withoutFiles(joinPrompt([...files.map((file) => file?.text), typed]))).toBe(typed);
});

test.each<[prompt: string, typed: string]>([
  ["plain", "plain"],
  ["[image dot.png: image/png, 1×1, 70 B]\n\nWhat?", "What?"],
  ["[image dot.png: image/png, 1×1, 70 B]", ""],
  ["[image 1]\n\nWhat?", "[image 1]\n\nWhat?"],
  ['<file name="a">\ncut', '<file name="a">\ncut'],
  ["", ""],
])("%j", (prompt, typed) => {
  expect(withoutFiles(prompt)).toBe(typed);
});
