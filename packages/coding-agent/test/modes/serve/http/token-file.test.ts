import { chmod, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readToken } from "../../../../src/modes/serve/http/token-file.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const file = () => join(workspace.agentDir, "serve-token");

test("a missing file is created with a random token that only the user can read, and is kept", async () => {
  const token = await readToken(file());
  expect(token).toMatch(/^[\w-]{43}$/);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await readFile(file(), "utf8")).toBe(`${token}\n`);
  expect(await readToken(file())).toBe(token);
  expect(await readdir(workspace.agentDir)).toEqual(["serve-token"]);
});

test("several processes that start at the same time get one token", async () => {
  const tokens = await Promise.all(Array.from({ length: 8 }, () => readToken(file())));
  expect(new Set(tokens).size).toBe(1);
});

test.each([0o640, 0o604, 0o620, 0o644])("a file of mode %o is refused with the command that mends it", async (mode) => {
  await readToken(file());
  await chmod(file(), mode);
  await expect(readToken(file())).rejects.toThrow(`The token file ${file()} can be read by other users. Run: chmod 600 ${file()}`);
});

test.each([
  ["is empty", ""],
  ["is empty", "\n \n"],
  ["has no usable token", "short"],
  ["has no usable token", `${"a".repeat(40)} ${"b".repeat(40)}`],
  ["has no usable token", `${"a".repeat(40)}/`],
  ["has no usable token", "ü".repeat(40)],
  ["has no usable token", "a".repeat(5000)],
])("a file that %s is refused, and its content is not shown", async (problem, content) => {
  await workspace.write("agent/serve-token", content);
  await chmod(file(), 0o600);
  const error = await readToken(file()).catch((thrown: Error) => thrown);
  expect(String(error)).toContain(`The token file ${file()} ${problem}`);
  if (content.trim() !== "") expect(String(error)).not.toContain(content.trim());
});

test("a token of the user's own, and a link to it, are taken", async () => {
  const own = "my-own_token-of-more-than-32-characters";
  const path = await workspace.write("secret", own);
  await chmod(path, 0o600);
  await symlink(path, join(workspace.root, "link"));
  expect([await readToken(path), await readToken(join(workspace.root, "link"))]).toEqual([own, own]);
});

test("a folder, and a folder that cannot be made, are refused with the reason", async () => {
  await expect(readToken(workspace.cwd)).rejects.toThrow(/Cannot use the token file .*work/);
  await expect(readToken(join(await workspace.write("plain", ""), "token"))).rejects.toThrow(/Cannot use the token file/);
});
