import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitAll } from "../../checkpoints/changing-session.ts";
import { runCli } from "../../helpers/cli.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

test("pi undo puts back what a killed pi has changed, and the model of the session reads it", async () => {
  await workspace.write("work/a.txt", "one\n");
  commitAll(workspace.cwd);
  const path = join(workspace.cwd, "a.txt");
  const model = await workspace.script(
    { toolCalls: [{ name: "edit", arguments: { path: "a.txt", oldText: "one", newText: "two" } }] },
    { toolCalls: [{ name: "bash", arguments: { command: "echo x > b.txt; kill -9 $PPID" } }] },
  );
  expect(await runCli(workspace, ["-p", "--model", model, "Change it."])).toMatchObject({ exitCode: null });

  const undone = await runCli(workspace, ["undo"]);
  expect(undone).toMatchObject({ exitCode: 1, stdout: "1 file put back:\n  replaced  a.txt\n" });
  expect(undone.stderr).toContain("  b.txt: something else has changed it");
  expect(undone.stderr).toContain("pi was ended during the command");
  expect(await readFile(path, "utf8")).toBe("one\n");
  expect(rolesIn(await workspace.sessionLines()).length).toBeGreaterThan(2);
  expect((await workspace.sessionLines()).at(-1)).toMatchObject({ type: "custom_message", customType: "pikit.undo" });

  const forced = await runCli(workspace, ["undo", "--force", "--json"]);
  const restored = [{ path: join(workspace.cwd, "b.txt"), action: "removed" }];
  expect({ ...forced, stdout: JSON.parse(forced.stdout) as unknown }).toMatchObject({ exitCode: 0, stdout: { restored } });
});

test("over RPC a turn is undone and redone, and branch answers what it has put back", async () => {
  const change = (content: string) => ({ toolCalls: [{ name: "write", arguments: { path: "a.txt", content } }] });
  const model = await workspace.script(change("one"), { text: "Done." }, change("two"), { text: "Done." });
  const rpc = startRpc(workspace, ["--model", model]);
  const path = join(workspace.cwd, "a.txt");
  for (const [index, message] of ["first", "second"].entries()) {
    await rpc.request({ type: "prompt", message });
    await rpc.waitFor(() => rpc.records.filter(({ type }) => type === "agent_settled").length > index);
  }
  const done = (action: string) => ({ success: true, data: { restored: [{ path, action }], conflicts: [], notCovered: [] } });
  expect(await rpc.request({ type: "undo", dryRun: true })).toMatchObject(done("replaced"));
  expect(await readFile(path, "utf8")).toBe("two");
  expect(await rpc.request({ type: "undo" })).toMatchObject(done("replaced"));
  expect(await readFile(path, "utf8")).toBe("one");
  expect(await rpc.request({ type: "redo" })).toMatchObject(done("replaced"));
  expect(await rpc.request({ type: "redo" })).toMatchObject({
    success: false,
    error: expect.stringContaining("no undo to take back"),
  });
  const branched = await rpc.request({ type: "branch", entryIndex: 0, restoreFiles: true });
  expect(branched).toMatchObject({ data: { text: "first", cancelled: false, files: { restored: [{ path, action: "removed" }] } } });
});
