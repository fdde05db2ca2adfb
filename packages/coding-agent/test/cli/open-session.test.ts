import { expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

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
