import { describe, expect, test } from "vitest";
import { EventMask } from "../../src/recording/event-mask.ts";
import { maskFolder, maskSecrets, unmaskFolder } from "../../src/recording/text-mask.ts";

const folder = "/home/user/proj";

function mask(events: unknown[], masks = maskFolder(folder)): string[] {
  const lines: string[] = [];
  const events_ = new EventMask<{ data: string }>(masks, ({ data }) => lines.push(data));
  for (const event of events) events_.push({ data: typeof event === "string" ? event : JSON.stringify(event) });
  events_.flush();
  return lines;
}

function deltas(...texts: string[]) {
  return texts.map((text) => ({ index: 0, delta: { text } }));
}

function textsOf(lines: string[]): string[] {
  return lines.map((line) => JSON.parse(line).delta.text as string);
}

describe("the working folder in events", () => {
  test("is masked where it stands whole, however often", () => {
    expect(textsOf(mask(deltas("in /home/user/proj and /home/user/proj/a")))).toEqual(["in <cwd> and <cwd>/a"]);
  });

  test("is masked at every cut, and comes back cut in the same way, or as another folder", () => {
    const text = `see ${folder}/a.ts`;
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 1) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        const masked = mask(deltas(...pieces));
        expect(masked.join("")).not.toContain("user");
        expect(textsOf(masked.map((line) => unmaskFolder(line, folder)))).toEqual(pieces);
        for (const other of ["/x", "/a/longer/folder/than/it"]) {
          expect(textsOf(masked.map((line) => unmaskFolder(line, other))).join("")).toBe(`see ${other}/a.ts`);
        }
      }
    }
  });

  test("is masked in texts that alternate, and not across them", () => {
    const events = [
      { index: 0, delta: { text: "/home/us" } },
      { index: 1, delta: { text: "/home" } },
      { index: 0, delta: { text: "er/proj" } },
      { index: 1, delta: { text: "r/proj" } },
    ];
    expect(textsOf(mask(events))).toEqual(["<cwd:0-8>", "/home", "<cwd:8->", "r/proj"]);
  });

  test("leaves alone what only begins like it, markers, and what is no JSON", () => {
    const events = [...deltas("/home/us", "ually", "/home/user/pro"), "[DONE]", '{"cut'];
    expect(mask(events)).toEqual(events.map((event) => (typeof event === "string" ? event : JSON.stringify(event))));
  });

  test("holds back no more than 64 events that may be the beginning of it", () => {
    const lines: string[] = [];
    const events = new EventMask<{ data: string }>(maskFolder(folder), ({ data }) => lines.push(data));
    events.push({ data: '{"delta":{"text":"/"}}' });
    for (let count = 0; count < 62; count += 1) events.push({ data: '{"type":"ping"}' });
    expect(lines).toEqual([]);
    events.push({ data: '{"type":"ping"}' });
    expect(lines).toHaveLength(64);
  });

  test("is not masked when it is the root, which is in every path", () => {
    expect(maskFolder("/")).toEqual([]);
  });
});

test("a secret is masked whole and in pieces", () => {
  const masks = maskSecrets(["sk-5ecret"]);
  expect(textsOf(mask(deltas("key sk-5ecret, again sk-", "5ec", "ret."), masks))).toEqual(["key <key>, again <key>", "", "."]);
});
