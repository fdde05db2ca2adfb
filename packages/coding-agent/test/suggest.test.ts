import { expect, test } from "vitest";
import { meantWord, suggest } from "../src/suggest.ts";

const words = ["approval", "rpc", "json", "baseUrl", "maxRetries", "baseDelayMs"];

test.each([
  ["aproval", "approval"],
  ["Approval", "approval"],
  ["arpoval", "approval"],
  ["rcp", "rpc"],
  ["jsn", "json"],
  ["baseURL", "baseUrl"],
  ["base_url", "baseUrl"],
  ["maxRetry", undefined],
  // A setting of other programs of the family, near enough to be mistaken.
  ["maxDelayMs", undefined],
  ["theme", undefined],
  ["x", undefined],
  ["", undefined],
  ["json", undefined],
])("%j is taken for %s", (typed, meant) => {
  expect(meantWord(typed, words)).toBe(meant);
});

test("the nearest of several is meant, and is asked about", () => {
  expect(suggest("session", ["sessions", "session-id", "sessio"])).toBe(' Did you mean "sessions"?');
  expect(suggest("else", ["sessions"])).toBe("");
});
