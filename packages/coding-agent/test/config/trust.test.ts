import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustFolder } from "../../src/config/project-trust.ts";
import { createAgentSession } from "../../src/session/assemble/create.ts";
import { absentUser } from "../../src/user-interface.ts";
import { runCli } from "../helpers/cli.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** A project that would change the agent in every way. */
async function makeProject(): Promise<void> {
  await workspace.write("work/.pi/settings.json", { steeringMode: "all" });
  await workspace.write("work/.pi/extensions/evil.ts", `export default (pi) => pi.registerCommand("evil", { handler() {} });`);
  await workspace.write("work/.pi/rules/no-lighthouse.md", "---\nttsrTrigger: lighthouse\n---\nSay lamp.\n");
  await workspace.write("work/.pi/prompts/deploy.md", "Deploy it.\n");
}

const notice = (cwd: string) =>
  `Not loaded from ${join(cwd, ".pi")}, since this folder is not trusted: settings, 1 extension, 1 rule, 1 prompt template. Use --approve to load them for this run.`;

/** What of the project is in effect. */
async function effectOf(...args: string[]) {
  const rpc = startRpc(workspace, ["--model", await workspace.script({ text: "A lighthouse." }, { text: "A lamp." }), ...args]);
  const commands = ((await rpc.request({ type: "get_commands" })).data?.commands ?? []) as { name: string }[];
  const mode = (await rpc.request({ type: "get_state" })).data?.steeringMode;
  const told = await rpc.promptAndWait("What is it?");
  await rpc.end();
  return {
    commands: commands.map(({ name }) => name),
    mode,
    corrected: told.some(({ type }) => type === "ttsr_triggered"),
    stderr: rpc.stderr,
  };
}

const everything = { commands: ["evil", "deploy"], mode: "all", corrected: true, stderr: "" };
const nothing = { commands: [], mode: "one-at-a-time", corrected: false };

describe("SC-007 what a project brings", () => {
  test("takes no effect where nobody can be asked, and one line on stderr says so", async () => {
    await makeProject();
    expect(await effectOf()).toEqual({ ...nothing, stderr: `${notice(workspace.cwd)}\n` });
  });

  test("takes effect with --approve, for that run; --no-approve wins over what is remembered", async () => {
    await makeProject();
    expect(await effectOf("--approve")).toEqual(everything);
    expect(await effectOf()).toMatchObject(nothing);
    await trustFolder(workspace.agentDir, workspace.cwd);
    expect(await effectOf()).toEqual(everything);
    expect(await effectOf("--no-approve")).toMatchObject(nothing);
  });

  test("is about the real folder: a link to a trusted one is trusted, and what is in it, unless a nearer answer says no", async () => {
    await makeProject();
    await trustFolder(workspace.agentDir, workspace.cwd);
    await symlink(workspace.cwd, join(workspace.root, "link"));
    await workspace.write("work/vendor/.pi/settings.json", { steeringMode: "all" });
    const modeIn = async (cwd: string) => {
      const { session } = await openSession(workspace, { cwd, model: "demo/tour", session: "memory" });
      return session.state().steeringMode;
    };
    expect(await modeIn(join(workspace.root, "link"))).toBe("all");
    const inner = join(workspace.cwd, "vendor");
    expect(await modeIn(inner)).toBe("all");
    // As related programs write it.
    await workspace.write("agent/trust.json", { [workspace.cwd]: true, [inner]: false });
    expect(await modeIn(inner)).toBe("one-at-a-time");
    await workspace.write("agent/trust.json", { [workspace.cwd]: false, [inner]: null });
    expect(await modeIn(inner)).toBe("one-at-a-time");
    await workspace.write("agent/trust.json", { [workspace.cwd]: null, [inner]: true });
    expect(await modeIn(inner)).toBe("all");
    expect(await modeIn(workspace.cwd)).toBe("one-at-a-time");
  });

  test("has a default for folders without an answer; a stored answer wins, and a project cannot set it", async () => {
    await makeProject();
    await workspace.write("agent/settings.json", { defaultProjectTrust: "always" });
    expect(await effectOf()).toEqual(everything);
    await workspace.write("agent/trust.json", { [workspace.cwd]: false });
    expect(await effectOf()).toMatchObject(nothing);
    await workspace.write("agent/settings.json", {});
    await workspace.write("agent/trust.json", {});
    await workspace.write("work/.pi/settings.json", { steeringMode: "all", defaultProjectTrust: "always" });
    expect(await effectOf()).toMatchObject(nothing);
  });

  test("asks the user once, says what it is about, and remembers a yes", async () => {
    await makeProject();
    const questions: unknown[] = [];
    const problems: string[] = [];
    const open = async (answer: boolean) => {
      const session = await createAgentSession({
        ...{ cwd: workspace.cwd, agentDir: workspace.agentDir, model: "demo/tour", session: "memory" },
        onProblem: (problem) => problems.push(problem),
        user: {
          ...absentUser,
          async confirm(question) {
            questions.push(question);
            return answer;
          },
        },
      });
      const names = (await session.listCommands()).map(({ name }) => name);
      await session.dispose();
      return names;
    };
    expect(await open(false)).toEqual([]);
    expect(problems).toEqual([notice(workspace.cwd)]);
    expect(await open(true)).toEqual(["evil", "deploy"]);
    expect(await open(false)).toEqual(["evil", "deploy"]);
    expect(questions).toHaveLength(2);
    expect(questions[0]).toEqual({
      title: "Trust this folder?",
      message: `${workspace.cwd} brings its own settings, 1 extension, 1 rule, 1 prompt template. They can run programs as you. Load them, now and in future?`,
    });
    expect(JSON.parse(await readFile(join(workspace.agentDir, "trust.json"), "utf8"))).toEqual({
      [workspace.cwd]: true,
    });
  });

  test("says nothing about a .pi folder that has none of it", async () => {
    await workspace.write("work/.pi/notes.txt", "x");
    const { session } = await openSession(workspace, {
      model: "demo/tour",
      session: "memory",
      onProblem: (problem) => expect.fail(problem),
    });
    expect(await session.listCommands()).toEqual([]);
  });

  test("a malformed trust.json is an error that names it, and nothing is trusted", async () => {
    await makeProject();
    await workspace.write("agent/trust.json", '{"/a": ');
    const { stderr, exitCode } = await runCli(workspace, ["-p", "--model", "demo/tour", "Hi"]);
    expect(stderr).toMatch(/trust\.json is not valid JSON/);
    expect(exitCode).toBe(1);
  });
});

test("--approve and --no-approve exclude each other", async () => {
  const { stderr, exitCode } = await runCli(workspace, ["-p", "--approve", "--no-approve", "Hi"]);
  expect({ stderr, exitCode }).toEqual({
    stderr: "--approve and --no-approve exclude each other. Give one of them.\n",
    exitCode: 2,
  });
});

describe("SC-008 rules from files", () => {
  test("those of the user apply everywhere; --no-rules leaves them unread", async () => {
    await workspace.write("agent/rules/lamp.md", "---\nname: lamp\nttsrTrigger: lighthouse\n---\nSay lamp.\n");
    expect((await effectOf()).corrected).toBe(true);
    expect((await effectOf("--no-rules")).corrected).toBe(false);
  });

  test("a rule that cannot be used is passed over in one line, and the others hold", async () => {
    const broken = await workspace.write("agent/rules/a-broken.md", "---\nttsrTrigger: '('\n---\nText.\n");
    const empty = await workspace.write("agent/rules/b-empty.md", "No front matter.\n");
    await workspace.write("agent/rules/lamp.md", "---\nttsrTrigger: lighthouse\n---\nSay lamp.\n");
    const { corrected, stderr } = await effectOf();
    expect(corrected).toBe(true);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toEqual([expect.stringContaining(broken), expect.stringContaining(empty)]);
  });
});
