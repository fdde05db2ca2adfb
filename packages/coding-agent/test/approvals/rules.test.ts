import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentTool } from "@pikit/agent";
import { describe, expect, test } from "vitest";
import { type ApprovalOptions, createJudge } from "../../src/approvals/judge.ts";
import { setMcpName } from "../../src/approvals/mcp-name.ts";
import type { ApprovalPolicy, RuleTexts } from "../../src/config/approval-policies.ts";
import type { FileAccess } from "../../src/tools/files/file-access.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { type ApprovalAnswer, type ApprovalQuestion, absentUser, type UserInterface } from "../../src/user-interface.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const files: FileAccess = { ...localFiles, homeFolder: "/home/user", realpath: async (path) => path };
const bash = { name: "bash" } as AgentTool;

interface Outcome {
  /** `ran`, `refused` without a question, or the reasons of the question, which was answered with no. */
  result: string;
}

interface Given {
  policy?: ApprovalPolicy;
  rules?: RuleTexts;
  tool?: AgentTool;
  isBuiltIn?: boolean;
  options?: Partial<ApprovalOptions>;
}

/** Decides about one call. */
async function decide(
  params: object,
  { policy = "on-risk", rules, tool = bash, isBuiltIn = true }: Given,
): Promise<Outcome["result"]> {
  const asked: ApprovalQuestion[] = [];
  const user: UserInterface = {
    ...absentUser,
    confirm: async () => false,
    approve: async (question) => {
      asked.push(question);
      return { decision: "no" };
    },
  };
  const judge = createJudge({
    ...{ policy, readOnly: false, cwd: "/home/user/project", user, files, rules },
    isBuiltIn: () => isBuiltIn,
  });
  const answer = await judge.check({ tool, params }, new AbortController().signal);
  if (!answer) return "ran";
  const [question] = asked;
  return question ? `asked: ${question.reasons}` : answer.refuse;
}

function command(text: string, rules: RuleTexts, policy?: ApprovalPolicy) {
  return decide({ command: text }, { rules, ...(policy ? { policy } : {}) });
}

describe("rules that allow", () => {
  const allow = ["bash(npm test:*)", "bash(git status)", "bash(rm -rf data)", "bash(make:*)"];

  test.each([
    "npm test",
    "npm test -- --run src/a.test.ts",
    "git status",
    "npm test && git status",
    "cd sub && npm test | tail -5",
    "timeout 60 npm test",
    "npm test > out.txt 2>&1",
    "rm -rf data",
    "if ls; then npm test; fi",
  ])("%s needs no question under unless-safe", async (line) => {
    expect(await command(line, { allow }, "unless-safe")).toBe("ran");
  });

  test.each([
    ["npm run test", "It runs code that pi does not know: npm run test."],
    ["npm testing", "It runs code that pi does not know: npm testing."],
    ["npm test && npm run deploy-all", "It changes something on a server, or publishes it: npm run deploy-all."],
    ["npm test; ./run.sh", "It runs code that pi does not know: ./run.sh."],
    ["npm test $(./run.sh)", "It runs code that pi does not know: ./run.sh."],
    ["npm test > ../x", "It changes something outside the working folder: /home/user/project/../x."],
    ["./npm test", "It runs code that pi does not know: ./npm test."],
    ["rm -rf data src", "It deletes more than build output and temporary files: rm -rf data src."],
    ["PATH=. npm test", "It runs code that pi does not know: PATH=…."],
  ])("%s is asked about under unless-safe", async (line, reason) => {
    expect(await command(line, { allow }, "unless-safe")).toContain(`asked: ${reason}`);
  });

  test("each part of a line must be allowed under always, and each file that it writes", async () => {
    expect(await command("npm test", { allow }, "always")).toBe("ran");
    expect(await command("npm test | make", { allow }, "always")).toBe("ran");
    expect(await command("npm test | sort", { allow }, "always")).toBe("asked: ");
    expect(await command("npm test > out.txt", { allow }, "always")).toBe("asked: ");
    expect(await command("npm test > out.txt", { allow: [...allow, "edit(*.txt)"] }, "always")).toBe("ran");
    expect(await command("A=1", { allow }, "always")).toBe("asked: ");
  });

  test("a rule for a program that runs others allows what it runs", async () => {
    expect(await command("ssh prod systemctl restart app", { allow: ["bash(ssh prod:*)"] })).toBe("ran");
    expect(await command("ssh test systemctl restart app", { allow: ["bash(ssh prod:*)"] })).toContain("asked: ");
  });

  test("a rule for files allows changes of them, by tools and by commands", async () => {
    const rules = { allow: ["edit(/home/user/notes/**)", "edit(src/**)"] };
    expect(await command("echo x >> ../notes/today.md", rules)).toBe("ran");
    expect(await command("cp a ../notes/a", rules)).toBe("ran");
    expect(await command("cp a ../other/a", rules)).toContain("asked: ");
    const write = { name: "write" } as AgentTool;
    const edit = { name: "edit" } as AgentTool;
    expect(await decide({ path: "../notes/a.md", content: "" }, { rules, tool: write })).toBe("ran");
    expect(await decide({ path: "src/deep/a.ts" }, { rules, tool: edit, policy: "always" })).toBe("ran");
    expect(await decide({ path: "test/a.ts" }, { rules, tool: edit, policy: "always" })).toBe("asked: ");
    expect(await decide({ path: "src/../../x" }, { rules, tool: edit })).toContain("asked: ");
  });

  test("tools of MCP servers are named by their server, other tools by their name", async () => {
    const search = setMcpName({ name: "mcp__docs__search" } as AgentTool, "docs/search");
    const ask = (allowed: string) =>
      decide({}, { rules: { allow: [allowed] }, tool: search, isBuiltIn: false, policy: "unless-safe" });
    expect(await ask("mcp(docs/search)")).toBe("ran");
    expect(await ask("mcp(docs/*)")).toBe("ran");
    expect(await ask("mcp(docs/find)")).toContain("asked: It calls a tool that pi does not know: mcp__docs__search.");
    const deploy = { tool: { name: "deploy" } as AgentTool, isBuiltIn: false, policy: "always" } as const;
    expect(await decide({}, { ...deploy, rules: { allow: ["deploy"] } })).toBe("ran");
    expect(await decide({}, { ...deploy, rules: { allow: ["deploy_all"] } })).toBe("asked: ");
  });

  test("SC-011 another tool with the name of a built-in one gets no rule for files", async () => {
    const write = { name: "write" } as AgentTool;
    expect(await decide({ path: "a" }, { rules: { allow: ["edit(**)"] }, tool: write, isBuiltIn: false, policy: "always" })).toBe(
      "asked: ",
    );
  });
});

describe("rules that refuse", () => {
  const refused = (rule: string) =>
    `Not run: the user's rules refuse it (deny: ${rule}). Do not try the same in another way; continue without it, or say what is needed.`;

  test.each([
    "git push",
    "git push --force",
    "/usr/bin/git push",
    "npm test && git push",
    "sh -c 'git push'",
    "timeout 5 git push",
    "echo $(git push)",
    "ls | xargs git push",
  ])("%s is refused under every policy, and counts before other rules", async (line) => {
    const rules = { deny: ["bash(git push:*)"], allow: ["bash"] };
    for (const policy of ["never-ask", "on-risk", "unless-safe", "always"] as const) {
      expect(await command(line, rules, policy)).toBe(refused("bash(git push:*)"));
    }
    expect(await command("git pull", rules)).toBe("ran");
  });

  test("files are protected from tools and from commands, also when their folder is deleted", async () => {
    const rules = { deny: ["edit(.env)", "edit(secrets/**)", "read(.env)"] };
    const write = { name: "write" } as AgentTool;
    const read = { name: "read" } as AgentTool;
    expect(await decide({ path: ".env", content: "" }, { rules, tool: write })).toBe(refused("edit(.env)"));
    expect(await decide({ path: "sub/.env" }, { rules, tool: read })).toBe(refused("read(.env)"));
    expect(await decide({ path: "a.txt" }, { rules, tool: read })).toBe("ran");
    expect(await command("echo x > sub/.env", rules)).toBe(refused("edit(.env)"));
    expect(await command("sed -i s/a/b/ secrets/key", rules)).toBe(refused("edit(secrets/**)"));
    expect(await command("rm -rf secrets", rules, "never-ask")).toBe(refused("edit(secrets/**)"));
    expect(await command("cat .env", rules)).toBe(refused("read(.env)"));
    expect(await command("rm -rf dist", rules)).toBe("ran");
  });

  test("a rule that is not valid is an error instead of being left out", async () => {
    await expect(command("ls", { deny: ["bash(rm"] })).rejects.toThrow('"bash(rm" in approvalRules is not a rule.');
    await expect(command("ls", { deny: ["edit([)"] })).rejects.toThrow("The rule edit([) of approvalRules cannot be used");
  });
});

test("rules that ask do so under every policy, and count before rules that allow", async () => {
  const rules = { ask: ["bash(git push:*)"], allow: ["bash(git:*)"] };
  for (const policy of ["never-ask", "on-risk", "unless-safe", "always"] as const) {
    expect(await command("git push", rules, policy)).toBe("asked: It is about your rule to ask: bash(git push:*).");
  }
  expect(await command("git commit -m x", rules, "always")).toBe("ran");
});

describe("an answer that is always", () => {
  const workspace = useWorkspace();

  function answering(...answers: ApprovalAnswer[]): { user: UserInterface; asked: ApprovalQuestion[] } {
    const asked: ApprovalQuestion[] = [];
    const approve = async (question: ApprovalQuestion) => {
      asked.push(question);
      return answers.shift() ?? ({ decision: "no" } as const);
    };
    return { user: { ...absentUser, confirm: async () => false, approve }, asked };
  }

  const call = (text: string) => ({ toolCalls: [{ name: "bash", arguments: { command: text } }] });

  test("writes the rule that the question names to the settings, and counts in this and in later sessions", async () => {
    await workspace.write("agent/settings.json", { theme: "dark", approvalRules: { deny: ["bash(git push:*)"] } });
    const { user, asked } = answering({ decision: "always" });
    const script = [call("make a"), call("make b"), call("git push"), { text: "Done." }];
    const { session } = await createScriptedSession(workspace, script, { approval: "unless-safe", user });
    await session.prompt("Go.");
    expect(asked.map(({ call: text, sessionScope, ruleFile }) => [text, sessionScope, ruleFile])).toEqual([
      ["make a", "bash(make a:*)", join(workspace.agentDir, "settings.json")],
      ["make b", "bash(make b:*)", join(workspace.agentDir, "settings.json")],
    ]);
    expect(asked[0]?.message).toContain("Without a question: bash(make a:*) in approvalRules.allow of the settings.");
    expect(JSON.parse(await readFile(join(workspace.agentDir, "settings.json"), "utf8"))).toEqual({
      theme: "dark",
      approvalRules: { deny: ["bash(git push:*)"], allow: ["bash(make a:*)"] },
    });
    const later = answering();
    const { session: second } = await createScriptedSession(workspace, [call("make a"), { text: "Done." }], {
      approval: "unless-safe",
      user: later.user,
    });
    await second.prompt("Go.");
    expect(later.asked).toEqual([]);
  });

  test("rules of the caller and of the settings count together", async () => {
    await workspace.write("agent/settings.json", { approvalRules: { deny: ["bash(git push:*)"] } });
    const { user, asked } = answering();
    const { session } = await createScriptedSession(workspace, [call("git push"), call("curl x"), { text: "Done." }], {
      user,
      approvalRules: { deny: ["bash(curl:*)"] },
    });
    await session.prompt("Go.");
    expect(asked).toEqual([]);
    const results = session.messages.filter((message) => message.role === "toolResult");
    expect(JSON.stringify(results)).toMatch(/deny: bash\(git push:\*\).*deny: bash\(curl:\*\)/);
  });
});
