import { access, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, type AgentTool } from "@pikit/agent";
import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { createApprovals } from "../../src/approvals/approvals.ts";
import type { ApprovalOptions } from "../../src/approvals/judge.ts";
import type { FileAccess } from "../../src/tools/files/file-access.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { absentUser, type Confirmation, type UserInterface } from "../../src/user-interface.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { createTools } from "../tools/create-tools.ts";

const workspace = useWorkspace();

/** A user who gives these answers in turn, and what they were asked. */
function answering(...answers: (boolean | Promise<boolean>)[]): { user: UserInterface; questions: Confirmation[] } {
  const questions: Confirmation[] = [];
  const confirm = async (question: Confirmation) => {
    questions.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error("asked too often");
    return answer;
  };
  return { user: { ...absentUser, confirm }, questions };
}

const greet: AgentTool = {
  name: "greet",
  label: "Greet",
  description: "Says hello",
  parameters: Type.Object({}),
  execute: async () => ({ content: [{ type: "text", text: "hello" }], details: null }),
};

/** Runs the calls one after another; returns what the model was told of each. */
async function runCalls(
  options: Partial<ApprovalOptions>,
  calls: { name: string; arguments: Record<string, unknown> }[],
  { tools, signal }: { tools?: AgentTool[]; signal?: AbortSignal } = {},
): Promise<string[]> {
  const builtIn = await createTools(workspace.cwd);
  const approvals = createApprovals({
    policy: "on-risk",
    readOnly: false,
    cwd: workspace.cwd,
    user: absentUser,
    isBuiltIn: (tool) => builtIn.includes(tool),
    ...options,
  });
  const script: ScriptedAnswer[] = [...calls.map((call) => ({ toolCalls: [call] })), { text: "Done." }];
  const agent = new Agent({
    model: createScriptedModel({ script }),
    tools: [...builtIn, ...(tools ?? [])],
    beforeToolCall: (call, runSignal) => approvals.check(call, runSignal),
  });
  signal?.addEventListener("abort", () => void agent.abort());
  await agent.prompt("Go.");
  return agent.state.messages.flatMap((message) =>
    message.role === "toolResult" ? [message.content.map((block) => (block.type === "text" ? block.text : "")).join("")] : [],
  );
}

function bash(command: string) {
  return { name: "bash", arguments: { command } };
}

function write(path: string) {
  return { name: "write", arguments: { path, content: "new" } };
}

function exists(path: string): Promise<boolean> {
  return access(join(workspace.root, path)).then(
    () => true,
    () => false,
  );
}

describe("on-risk", () => {
  test("harmless calls run without a question; a risky one runs after a yes", async () => {
    await workspace.write("work/data/a.csv", "x");
    const { user, questions } = answering(true);
    expect(await runCalls({ user }, [bash("echo hi"), write("a.txt"), bash("rm -rf data")])).toEqual([
      "hi\n",
      "Created a.txt (3 B).",
      "(no output)",
    ]);
    expect(questions).toEqual([
      {
        title: "Allow bash?",
        message: "It deletes more than build output and temporary files: rm -rf data.\n\nrm -rf data",
        riskTier: "confirm_required",
      },
    ]);
    expect(await exists("work/data")).toBe(false);
  });

  test("a no is told to the model with the reason, and nothing runs", async () => {
    await workspace.write("work/data/a.csv", "x");
    const { user } = answering(false);
    expect(await runCalls({ user }, [bash("rm -rf data")])).toEqual([
      "Not run: the user was asked and declined. Do not try the same in another way; continue without it, or ask what the user wants " +
        "instead. The reason for asking: it deletes more than build output and temporary files: rm -rf data.",
    ]);
    expect(await exists("work/data/a.csv")).toBe(true);
  });

  test("nobody there means no", async () => {
    const [text] = await runCalls({}, [bash("sudo ls")]);
    expect(text).toBe(
      "Not run: it needs the user's approval, but there is no user to ask. Find a way without it, or say what is needed. " +
        "The reason for asking: it runs as another user: sudo ls.",
    );
  });

  test("a user interface that fails means no", async () => {
    const rejects: UserInterface = { ...absentUser, confirm: () => Promise.reject(new Error("broken")) };
    const throws: UserInterface = {
      ...absentUser,
      confirm() {
        throw new Error("broken");
      },
    };
    for (const user of [rejects, throws]) {
      const [text] = await runCalls({ user }, [bash("sudo ls")]);
      expect(text).toContain("there is no user to ask");
    }
  });

  test("no answer in time means no, and the question is taken back", async () => {
    const taken: boolean[] = [];
    const user: UserInterface = {
      ...absentUser,
      confirm: (_question, options) =>
        new Promise((resolve) => {
          options?.signal?.addEventListener("abort", () => {
            taken.push(true);
            resolve(true);
          });
          setImmediate(() => clock.pass(60_000));
        }),
    };
    const clock = holdClock();
    const [text] = await runCalls({ user, timeoutMs: 60_000 }, [bash("sudo ls")]);
    expect(text).toContain("did not answer in time, which counts as no");
    expect(taken).toEqual([true]);
  });

  test("an abort ends the question, and a late yes has no effect", async () => {
    const controller = new AbortController();
    let answerLate: (isYes: boolean) => void = () => {};
    const user: UserInterface = {
      ...absentUser,
      confirm: () => {
        controller.abort();
        return new Promise((resolve) => {
          answerLate = resolve;
        });
      },
    };
    const results = await runCalls({ user }, [bash("rm -rf data; touch ran")], { signal: controller.signal });
    answerLate(true);
    expect(results).toEqual([expect.stringContaining("the run was aborted")]);
    expect(await exists("work/ran")).toBe(false);
  });

  test("writes outside the working folder are asked about, by real path", async () => {
    await mkdir(join(workspace.root, "other"));
    await writeFile(join(workspace.root, "other/a.txt"), "old");
    await symlink("../other", join(workspace.cwd, "out"));
    await symlink("../other/new.txt", join(workspace.cwd, "dangling"));
    const { user, questions } = answering(false, false, false, true);
    const edit = { name: "edit", arguments: { path: "out/a.txt", oldText: "old", newText: "new" } };
    await runCalls({ user }, [write("../x.txt"), write("dangling"), write("out/deep/b.txt"), edit, write("in.txt")]);
    const { root } = workspace;
    expect(questions.map(({ title, message }) => [title, message])).toEqual([
      ["Allow write?", `It writes outside the working folder: ../x.txt (${root}/x.txt).\n\n../x.txt`],
      ["Allow write?", `It writes outside the working folder: dangling (${root}/other/new.txt).\n\ndangling`],
      ["Allow write?", `It writes outside the working folder: out/deep/b.txt (${root}/other/deep/b.txt).\n\nout/deep/b.txt`],
      ["Allow edit?", `It writes outside the working folder: out/a.txt (${root}/other/a.txt).\n\nout/a.txt`],
    ]);
    expect([await exists("x.txt"), await exists("other/new.txt"), await exists("other/deep")]).toEqual([false, false, false]);
    expect(await readFile(join(root, "other/a.txt"), "utf8")).toBe("new");
  });

  test("what the tool itself refuses is left to it", async () => {
    expect(await runCalls({}, [write("a\0b")])).toEqual([expect.stringContaining("NUL")]);
  });

  test("the parameters that will run are the ones that are judged", async () => {
    const { user, questions } = answering(false);
    const call = { tool: (await createTools(workspace.cwd, ["bash"]))[0] as AgentTool, params: { command: "ls" } };
    const approvals = createApprovals({ policy: "on-risk", readOnly: false, cwd: workspace.cwd, user, isBuiltIn: () => true });
    const { signal } = new AbortController();
    expect(await approvals.check(call, signal)).toBeUndefined();
    expect(await approvals.check({ ...call, params: { command: "sudo ls" } }, signal)).toMatchObject({
      refuse: expect.stringContaining("declined"),
    });
    expect(questions).toHaveLength(1);
  });
});

describe("other policies", () => {
  test("never-ask runs everything", async () => {
    await workspace.write("work/data/a.csv", "x");
    expect(await runCalls({ policy: "never-ask" }, [bash("rm -rf data"), write("../x.txt")])).toEqual([
      "(no output)",
      "Created ../x.txt (3 B).",
    ]);
  });

  test("always asks for everything that does more than look, with its tier", async () => {
    await workspace.write("work/a.txt", "text\n");
    const { user, questions } = answering(true, true, true);
    const read = { name: "read", arguments: { path: "a.txt" } };
    const calls = [read, write("b.txt"), bash("true"), { name: "greet", arguments: {} }];
    await runCalls({ policy: "always", user }, calls, { tools: [greet] });
    expect(questions).toEqual([
      { title: "Allow write?", message: "b.txt", riskTier: "write" },
      { title: "Allow bash?", message: "true", riskTier: "execute" },
      { title: "Allow greet?", message: "{}", riskTier: "execute" },
    ]);
  });

  test("read-only refuses in words, whatever the policy, and asks nobody", async () => {
    await workspace.write("work/a.txt", "text\n");
    const { user, questions } = answering();
    const calls = [bash("ls"), write("b.txt"), { name: "read", arguments: { path: "a.txt" } }];
    for (const policy of ["never-ask", "on-risk", "always"] as const) {
      expect(await runCalls({ policy, readOnly: true, user }, calls)).toEqual([
        "Not run: this session is read-only, and bash could change something. Use tools that only look (read, grep, find, ls), and " +
          "tell the user in words what you would change.",
        expect.stringContaining("this session is read-only, and write could change something"),
        "text",
      ]);
    }
    expect(questions).toEqual([]);
    expect(await exists("work/b.txt")).toBe(false);
  });
});

describe("other tools", () => {
  test("a tool that declares no tier is execute, one that does is what it says", async () => {
    const calls = [{ name: "greet", arguments: {} }];
    expect(await runCalls({}, calls, { tools: [greet] })).toEqual(["hello"]);
    expect(await runCalls({ readOnly: true }, calls, { tools: [greet] })).toEqual([expect.stringContaining("read-only")]);
    expect(await runCalls({ readOnly: true, toolTiers: { greet: "read" } }, calls, { tools: [greet] })).toEqual(["hello"]);
    const { user, questions } = answering(true);
    expect(await runCalls({ user, toolTiers: { greet: "confirm_required" } }, calls, { tools: [greet] })).toEqual(["hello"]);
    expect(questions[0]?.message).toBe("It calls a tool that always needs approval: greet.\n\n{}");
  });

  test("SC-011 another tool with the name of a built-in one, or of a prototype's field, is execute", async () => {
    const approvals = createApprovals({
      policy: "always",
      readOnly: false,
      cwd: workspace.cwd,
      user: absentUser,
      isBuiltIn: () => false,
    });
    for (const name of ["read", "__proto__", "constructor"]) {
      expect(await approvals.assess({ tool: { ...greet, name }, params: {} })).toEqual({ tier: "execute", reasons: [] });
    }
  });
});

describe("questions", () => {
  test("are put one at a time; an abort takes one that waits out of the line", async () => {
    let open = 0;
    const asked: string[] = [];
    const answers: ((isYes: boolean) => void)[] = [];
    const user: UserInterface = {
      ...absentUser,
      confirm: async ({ message }) => {
        asked.push(message.slice(message.lastIndexOf("\n") + 1));
        open += 1;
        expect(open).toBe(1);
        const answer = await new Promise<boolean>((resolve) => answers.push(resolve));
        open -= 1;
        return answer;
      },
    };
    const approvals = createApprovals({ policy: "on-risk", readOnly: false, cwd: workspace.cwd, user, isBuiltIn: () => true });
    const [tool] = (await createTools(workspace.cwd, ["bash"])) as [AgentTool];
    const controllers = [new AbortController(), new AbortController(), new AbortController()];
    const checks = controllers.map(({ signal }, index) => approvals.check({ tool, params: { command: `sudo ${index}` } }, signal));
    await until("the first is asked", () => asked.length === 1);
    expect(asked).toEqual(["sudo 0"]);
    controllers[1]?.abort();
    expect(await checks[1]).toMatchObject({ refuse: expect.stringContaining("aborted") });
    answers[0]?.(true);
    expect(await checks[0]).toBeUndefined();
    await until("the third is asked", () => asked.length === 2);
    expect(asked).toEqual(["sudo 0", "sudo 2"]);
    answers[1]?.(false);
    expect(await checks[2]).toMatchObject({ refuse: expect.stringContaining("declined") });
  });

  test("are put in the order of the calls, also when the first takes longer to assess", async () => {
    const { user, questions } = answering(true, true);
    const held = Promise.withResolvers<void>();
    const files: FileAccess = {
      ...localFiles,
      async realpath(path) {
        if (path.endsWith("slow.txt")) await held.promise;
        return localFiles.realpath(path);
      },
    };
    const approvals = createApprovals({
      policy: "always",
      readOnly: false,
      cwd: workspace.cwd,
      user,
      files,
      isBuiltIn: () => true,
    });
    const [bashTool, write] = (await createTools(workspace.cwd, ["bash", "write"])) as [AgentTool, AgentTool];
    const { signal } = new AbortController();
    const slow = approvals.check({ tool: write, params: { path: "slow.txt", content: "" } }, signal);
    const quick = { tool: bashTool, params: { command: "ls" } };
    const next = approvals.check(quick, signal);
    // Assessed while the call before the other one is: it asks nothing yet, and an abort takes it out of the line.
    const aborted = approvals.check(quick, AbortSignal.abort());
    expect(await aborted).toMatchObject({ refuse: expect.stringContaining("aborted") });
    expect(questions).toEqual([]);
    held.resolve();
    expect(await Promise.all([slow, next])).toEqual([undefined, undefined]);
    expect(questions.map(({ message }) => message.includes("slow.txt"))).toEqual([true, false]);
  });

  test("SC-012 show what would hide or reorder text, and the end of a long command", async () => {
    const { user, questions } = answering(false, false);
    await runCalls({ user }, [bash("sudo \u001b[2Kls \u202e"), bash(`echo ${"x".repeat(5000)}; sudo ls`)]);
    expect(questions[0]?.message).toContain("sudo \\u001b[2Kls \\u202e");
    expect(questions[1]?.message).toMatch(/\n… \d+ characters left out …\nx+; sudo ls$/);
  });
});
