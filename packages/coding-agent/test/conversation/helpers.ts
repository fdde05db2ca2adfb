import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { SessionFile } from "../../src/conversation/session-file.ts";
import type { SessionLockOptions, SessionStore } from "../../src/conversation/session-store.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";
import { userMessage } from "../helpers/messages.ts";
import type { Workspace } from "../helpers/workspace.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** The path of a session file that lies with the tests. */
export function sessionFixture(name: string): string {
  return join(fixtures, "sessions", name);
}

/** A copy of a session file that lies with the tests, to write to. */
export async function copySession(workspace: Workspace, name: string): Promise<string> {
  const path = join(workspace.root, name);
  await copyFile(sessionFixture(name), path);
  return path;
}

/** A header line, and lines of messages that follow each other. */
export function sessionText(texts: readonly string[], id = "s-1"): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const lines: object[] = [{ type: "session", version: 3, id, timestamp, cwd: "/work" }];
  texts.forEach((text, n) => {
    lines.push({ type: "message", id: idOf(n), parentId: n === 0 ? null : idOf(n - 1), timestamp, message: userMessage(text) });
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Spread out, so that a damaged id is not by chance the next one's. */
function idOf(n: number): string {
  return (((n + 1) * 2654435761) >>> 0).toString(16).padStart(8, "0");
}

/** Opens sessions by their path. */
export const files = new FileSessionStore(join(tmpdir(), "pikit-no-such-folder"));

/** Keeps a new session in a file of that path. */
export function fileAt(path: string): Pick<SessionStore, "create"> {
  return { create: () => new SessionFile(path) };
}

/** What a session file holds, without writing to it. */
export function readSession(path: string): { header: SessionHeader; entries: SessionEntry[]; diagnostics: readonly string[] } {
  const file = new SessionFile(path);
  const entries: SessionEntry[] = [];
  const header = file.open((entry) => void entries.push(entry), { readOnly: true });
  file.close();
  return { header, entries, diagnostics: file.diagnostics };
}

/** All entries of a conversation, in the order of appending. */
export function entriesOf(conversation: Conversation): Promise<SessionEntry[]> {
  return conversation.read(conversation.nodes);
}

/** What the conversation of a file says, without writing to it. */
export async function textsIn(file: string): Promise<unknown[]> {
  const conversation = await Conversation.read(files, file);
  const texts = await textsOf(conversation);
  await conversation.close();
  return texts;
}

/** What the active branch says. */
export async function textsOf(conversation: Conversation): Promise<unknown[]> {
  const { messages } = await conversation.readContext();
  return messages.map((message) => ("content" in message ? message.content : message.role));
}

/** Opens a session to write to; closed when the test is over. */
export async function openToWrite(path: string, options?: SessionLockOptions): Promise<Conversation> {
  const conversation = await Conversation.open(files, path, options);
  onTestFinished(() => conversation.close());
  return conversation;
}

export interface Writer {
  pid: number;
  /** Sends a line and resolves with what the program prints next. */
  step(): Promise<WriterLine>;
  /** What the program prints next. */
  next(): Promise<WriterLine>;
  /** Ends it, with a signal or by the end of its input, and resolves when it has gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

interface WriterLine {
  pid: number;
  locked?: string;
  ready?: true;
  waiting?: true;
  written?: number;
}

/** Starts the program `write-session.ts`, which has another process write to a session. */
export function startWriter(path: string, ...args: string[]): Writer {
  const program = join(fixtures, "write-session.ts");
  const child = spawn(process.execPath, ["--conditions=pikit-source", program, path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  onTestFinished(() => void child.kill("SIGKILL"));
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the writer has ended");
    return JSON.parse(value) as WriterLine;
  };
  return {
    pid: child.pid as number,
    next,
    step() {
      child.stdin.write("go\n");
      return next();
    },
    async end(signal) {
      if (signal) child.kill(signal);
      else child.stdin.end();
      await exited;
    },
  };
}
