import { execFileSync } from "node:child_process";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import type { Settings } from "../../src/config/settings.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { openSession } from "../helpers/sessions.ts";
import type { Workspace } from "../helpers/workspace.ts";

export type ToolCalls = NonNullable<ScriptedAnswer["toolCalls"]>;

/** A model that makes the tool calls that the prompt lists as JSON. */
function obedientModel() {
  return createScriptedModel({
    script({ messages }) {
      const last = messages.at(-1);
      if (last?.role !== "user" || typeof last.content !== "string" || !last.content.startsWith("[")) return { text: "Done." };
      return { toolCalls: JSON.parse(last.content) as ToolCalls };
    },
  });
}

/** @param undo - Settings. A busy machine must not end a look at the working tree. */
export async function openObedient(
  workspace: Workspace,
  options: CreateAgentSessionOptions = {},
  undo: Settings["undo"] = {},
): Promise<AgentSession> {
  await workspace.write("agent/settings.json", { undo: { commandMs: 600_000, ...undo } });
  const { session } = await openSession(workspace, { model: obedientModel(), ...options });
  return session;
}

/** Lets the model make tool calls, in one turn of the user. */
export async function change(session: AgentSession, ...toolCalls: ToolCalls): Promise<void> {
  await session.prompt(JSON.stringify(toolCalls));
}

export function write(path: string, content: string): ToolCalls[number] {
  return { name: "write", arguments: { path, content } };
}

export function edit(path: string, oldText: string, newText: string): ToolCalls[number] {
  return { name: "edit", arguments: { path, oldText, newText } };
}

export function bash(command: string): ToolCalls[number] {
  return { name: "bash", arguments: { command } };
}

/** The files of a folder: content, permissions and targets of links, by relative path. Without `.git`. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (name.split("/")[0] === ".git") continue;
    if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) found[name] = `${((await lstat(path)).mode & 0o777).toString(8)} ${await readFile(path, "latin1")}`;
  }
  return Object.fromEntries(Object.entries(found).sort());
}

/** Runs git as the user would. */
export function git(cwd: string, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const env = { ...process.env, ...identity, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd, env, encoding: "utf8" });
}

/** Commits everything in the folder, which becomes a repository. */
export function commitAll(cwd: string): void {
  git(cwd, "init", "-q", "-b", "main");
  git(cwd, "add", "-A");
  git(cwd, "commit", "-q", "--allow-empty", "-m", "first");
}
