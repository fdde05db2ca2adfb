import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { agentFolder, sessionFileName, sessionFolder } from "../../src/config/paths.ts";

test.each([
  ["/home/ann/project", "--home-ann-project--"],
  ["/", "----"],
  ["/a b/ç", "--a b-ç--"],
  ["C:\\Users\\ann", "--C-Users-ann--"],
  ["\\\\server\\share\\x", "--server-share-x--"],
])("SE-017 the sessions of %s are in one folder", (cwd, name) => {
  expect(basename(sessionFolder(cwd, "/agent"))).toBe(name);
});

test("SE-017 the folder's name is one segment of at most 255 bytes, cut between characters", () => {
  for (const cwd of [`/${"x".repeat(4000)}`, `/${"ä€😀/".repeat(200)}`, `/${"€".repeat(300)}`, `/x${"€".repeat(300)}`]) {
    const folder = sessionFolder(cwd, "/agent");
    const name = basename(folder);
    expect(dirname(folder)).toBe("/agent/sessions");
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(name)).toBeGreaterThan(250);
    expect(name).toMatch(/^--[^/\\:\ufffd]*--$/);
  }
});

test("a session's file is named after its time and id, without characters that file systems refuse", () => {
  expect(sessionFileName({ id: "abc", timestamp: "2026-01-02T03:04:05.678Z" })).toBe("2026-01-02T03-04-05-678Z_abc.jsonl");
});

test("configuration is where PI_CODING_AGENT_DIR says, else in the home folder", () => {
  expect(agentFolder({ PI_CODING_AGENT_DIR: "/else/where" })).toBe("/else/where");
  expect(agentFolder({})).toMatch(/[/\\]\.pi[/\\]agent$/);
  expect(agentFolder({ PI_CODING_AGENT_DIR: "" })).toBe(agentFolder({}));
});
