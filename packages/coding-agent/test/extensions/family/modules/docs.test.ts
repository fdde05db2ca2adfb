import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { findFamilyModule } from "../../../../src/extensions/family/modules/find-module.ts";

/** Rows of the table about modules that are not about exports by their names. */
const otherWords = new Set(["pi-tui", "pi-coding-agent", "pi-ai", "pi-agent-core", "operations", "…Definition"]);
/** Members of a class that is in the table. */
const absentMembers = new Set(["continueRecent", "findById", "forkFrom", "createBranchedSession"]);

const load = async (name: string): Promise<Record<string, unknown>> => ({
  ...(await findFamilyModule(`@mariozechner/${name}`)?.()),
});

/** Whether an export only stands for one that is not there. */
function isAbsent(value: unknown): boolean {
  try {
    return typeof value === "function" && value.name === "standIn" && value() === undefined;
  } catch (error) {
    return String(error).includes("This pi does not have");
  }
}

test("docs/extensions.md names exports that work, and most of them", async () => {
  const text = await readFile(new URL("../../../../../../docs/extensions.md", import.meta.url), "utf8");
  const table = text.slice(text.indexOf("| module | works |"));
  const named = [...table.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).filter((name) => !otherWords.has(name));
  const [codingAgent, ai, agentCore] = await Promise.all([load("pi-coding-agent"), load("pi-ai"), load("pi-agent-core")]);
  const all = { ...agentCore, ...ai, ...codingAgent };
  expect(named.filter((name) => !(name in all) && !absentMembers.has(name))).toEqual([]);
  expect(named.filter((name) => isAbsent(all[name]))).toEqual([]);
  for (const name of absentMembers) expect(all.SessionManager).not.toHaveProperty(name);
  const works = Object.keys(codingAgent).filter(
    (name) => !isAbsent(codingAgent[name]) && !/Definition$|^is\w+ToolResult$|^GREP_/.test(name),
  );
  expect(works.filter((name) => !named.includes(name))).toEqual([]);
});
