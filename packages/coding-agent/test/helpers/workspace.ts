import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ScriptedAnswer } from "@pikit/ai";
import { afterEach, beforeEach } from "vitest";

/** A machine of its own for each test: a working folder, an agent folder, and nothing else. */
export class Workspace {
  root = "";

  /** Where tools work. */
  get cwd(): string {
    return join(this.root, "work");
  }

  /** Where settings, keys and sessions are. */
  get agentDir(): string {
    return join(this.root, "agent");
  }

  /** Writes a file; the path is relative to the root. Objects are written as JSON. */
  async write(path: string, content: string | Uint8Array | object): Promise<string> {
    const target = join(this.root, path);
    await mkdir(dirname(target), { recursive: true });
    const isText = typeof content === "string" || content instanceof Uint8Array;
    await writeFile(target, isText ? content : JSON.stringify(content));
    return target;
  }

  /** Writes a script and returns the name of the model that plays it. */
  async script(...answers: ScriptedAnswer[]): Promise<string> {
    const path = await this.write("script.jsonl", answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
    return `script/${path}`;
  }

  /** The session files, oldest first. */
  async sessionFiles(): Promise<string[]> {
    const folder = join(this.agentDir, "sessions");
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    return names
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(folder, name));
  }

  /** The lines of the only session file. */
  async sessionLines(): Promise<SessionLine[]> {
    const files = await this.sessionFiles();
    if (files.length !== 1) throw new Error(`expected one session file, found ${files.length}`);
    return readLines(files[0] as string);
  }
}

/** A line of a session file, loosely: tests look at it with matchers. */
export interface SessionLine {
  type: string;
  id: string;
  parentId?: string | null;
  message?: { role: string; content: unknown; [field: string]: unknown };
  [field: string]: unknown;
}

export async function readLines(path: string): Promise<SessionLine[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SessionLine);
}

/** The roles of the messages in a session file's lines. */
export function rolesIn(lines: readonly SessionLine[]): string[] {
  return lines.flatMap(({ message }) => (message ? [message.role] : []));
}

/** A fresh workspace for each test of the file. */
export function useWorkspace(): Workspace {
  const workspace = new Workspace();
  beforeEach(async () => {
    workspace.root = await realpath(await mkdtemp(join(tmpdir(), "pikit-test-")));
    await mkdir(workspace.cwd);
  });
  afterEach(async () => {
    await rm(workspace.root, { recursive: true, force: true });
  });
  return workspace;
}
