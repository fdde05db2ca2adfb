import { expect, test, vi } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { createScriptedSession } from "../../helpers/sessions.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const show = 'echo "$PI_SESSION_ID|$PI_SESSION_FILE|$PI_PROVIDER|$PI_MODEL|$PI_REASONING_LEVEL"';
const call = { toolCalls: [{ name: "bash", arguments: { command: show } }] };

test("commands of the model know their session; commands of the user do not", async () => {
  vi.stubEnv("PI_SESSION_FILE", "of another session");
  const { session } = await createScriptedSession(workspace, [call, { text: "Done." }]);
  await session.prompt("Go");
  const [, , result] = session.messages;
  const { sessionId, sessionFile } = session;
  const { provider, id } = session.models.current ?? {};
  expect(JSON.stringify(result)).toContain(`${sessionId}|${sessionFile}|${provider}|${id}|${session.models.level}`);
  expect(await session.shell.run(show)).toMatchObject({ output: "|of another session|||\n" });
  const memory = await createScriptedSession(workspace, [call, { text: "Done." }], { session: "memory" });
  await memory.session.prompt("Go");
  expect(JSON.stringify(memory.session.messages[2])).toContain(`${memory.session.sessionId}||${provider}|`);
  vi.unstubAllEnvs();
});

test("a process of the command line tells its commands who has started them", async () => {
  const script = await workspace.script(
    { toolCalls: [{ name: "bash", arguments: { command: 'echo "$AI_AGENT $PI_CODING_AGENT"' } }] },
    { text: "Done." },
  );
  const { stdout } = await runCli(workspace, ["--mode", "json", "--model", script, "Go"]);
  expect(stdout).toContain("pi true");
});
