import { expect, test } from "vitest";
import { describeAge } from "../../../src/conversation/stored-sessions.ts";
import { runCli } from "../../helpers/cli.ts";
import { createScriptedSession } from "../../helpers/sessions.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

async function store(prompt: string, name?: string): Promise<string> {
  const { session } = await createScriptedSession(workspace, [{ text: "Yes." }], name === undefined ? {} : { name });
  await session.prompt(prompt);
  await session.dispose();
  return session.sessionId;
}

test("pi sessions lists the sessions of this folder, the latest first, with id, age, name and first prompt", async () => {
  const older = await store("We need\n  milk.");
  const newer = await store("\u001b[31mBread\u001b[0m", "Shopping");
  const { stdout, stderr, exitCode } = await runCli(workspace, ["sessions"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^${newer} {2}now {13}Shopping: Bread$`)),
    expect.stringMatching(new RegExp(`^${older} {2}now {13}We need milk\\.$`)),
    "",
  ]);
  const limited = await runCli(workspace, ["sessions", "--limit", "1"]);
  expect(limited.stdout).toContain(newer);
  expect(limited.stdout).not.toContain(older);
});

test("pi sessions --json writes a line of JSON for each; --all has those of every folder", async () => {
  const id = await store("Hello", "Greeting");
  const here = await runCli(workspace, ["sessions", "--json"]);
  expect(JSON.parse(here.stdout)).toEqual({
    ...{ id, cwd: workspace.cwd, name: "Greeting", firstPrompt: "Hello", interrupted: false },
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    modifiedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    path: expect.stringMatching(/\.jsonl$/),
  });
  const elsewhere = { cwd: workspace.root };
  expect(await runCli(workspace, ["sessions", "--json"], elsewhere)).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  expect((await runCli(workspace, ["sessions"], elsewhere)).stderr).toBe(
    `There is no session of ${workspace.root}. pi sessions --all lists those of every folder.\n`,
  );
  const all = await runCli(workspace, ["sessions", "--all"], elsewhere);
  expect(all.stdout).toContain(id);
  expect(all.stdout).toContain(workspace.cwd);
});

test("a mistyped option is refused with the usage", async () => {
  const { stderr, exitCode } = await runCli(workspace, ["sessions", "--al"]);
  expect(stderr).toContain("Unknown option '--al'");
  expect(stderr).toContain("Usage: pi sessions");
  expect(exitCode).toBe(2);
});

test.each([
  [-5, "now"],
  [59_999, "now"],
  [60_000, "1 minute ago"],
  [3 * 3_600_000 + 1, "3 hours ago"],
  [49 * 3_600_000, "2 days ago"],
])("an age of %d ms is %s", (ageMs, text) => {
  expect(describeAge(ageMs)).toBe(text);
});
