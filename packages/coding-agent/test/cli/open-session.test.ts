import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { readLines, rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("SE-006 an unreadable line of a resumed session is named on stderr, and the rest is there", async () => {
  const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd: workspace.cwd };
  const user = { role: "user", content: "earlier", timestamp: 1 };
  const entry = { type: "message", id: "00000001", parentId: null, timestamp: header.timestamp, message: user };
  const path = await workspace.write("old.jsonl", `${JSON.stringify(header)}\n\u001b[31mgarbage\n${JSON.stringify(entry)}\n`);
  const model = await workspace.script({ text: "I see it" });
  const result = await runCli(workspace, ["-p", "--session", path, "--model", model, "and now"]);
  expect(result).toMatchObject({ exitCode: 0, stdout: "I see it\n" });
  expect(result.stderr).toBe(`${path}:2 is not a session entry and was skipped.\n`);
});

/** A session whose lock another host has left behind. */
async function writeLockedSession(): Promise<string> {
  const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd: workspace.cwd };
  const path = await workspace.write("old.jsonl", `${JSON.stringify(header)}\n`);
  const holder = { pid: 7, startTime: "1", host: "elsewhere", since: "2026-01-02T03:04:05.678Z" };
  await workspace.write("old.jsonl.lock", holder);
  return path;
}

test("SE-016 the lock of another host is an error that names --take-over, and with that the session is opened", async () => {
  const path = await writeLockedSession();
  const args = ["-p", "--session", path, "--model", await workspace.script({ text: "I see it" }), "and now"];
  const refused = await runCli(workspace, args);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toMatch(/process 7 of elsewhere since 2026-01-02T03:04:05\.678Z\..* open the session with --take-over /);
  expect(await runCli(workspace, ["--take-over", ...args])).toMatchObject({ exitCode: 0, stdout: "I see it\n", stderr: "" });
  expect(rolesIn(await readLines(path))).toEqual(["user", "assistant"]);
  expect((await readdir(workspace.root)).filter((name) => name.includes("lock"))).toEqual([]);
});

test.each([[[]], [["--fork", "x.jsonl"]], [["--no-session"]]])(
  "--take-over with %j, which opens no session, is refused",
  async (args) => {
    const result = await runCli(workspace, ["-p", "--take-over", ...args, "Hi"]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("Give --session, --session-id or --continue too.");
  },
);
