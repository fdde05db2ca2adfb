import { dirname } from "node:path";
import { agentFolder, sessionFolder } from "../../../config/paths.ts";
import { findSessionFolder } from "../../../config/session-dir.ts";
import { type StoredSessions, sessionsInFiles, sessionsInStore } from "../../../conversation/stored-sessions.ts";
import { SessionError } from "../../../errors.ts";
import { askForText } from "../dialogs/text-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";
import { pickSession } from "./pick-session.ts";

export const sessionCommands: readonly TerminalCommand[] = [
  { name: "resume", description: "continue another session", run: resume },
  { name: "new", aliases: ["clear"], description: "begin a new session", run: startNew },
  { name: "name", description: "name the session", argument: "[text]", run: giveName },
  { name: "compact", description: "summarise the older part of the conversation", argument: "[instructions]", run: compact },
  { name: "export", description: "write the conversation to an HTML file", argument: "[path]", run: exportHtml },
];

async function resume(stage: Stage): Promise<void> {
  const { session } = stage;
  const { sessionFile, sessionId } = session;
  const current = sessionFile ?? sessionId;
  const ref = await pickSession(stage, { sessions: sessionsOf(stage), current });
  if (ref === undefined || ref === current) return;
  const before = session.cwd;
  await session.history.open(ref);
  stage.showConversation();
  if (session.cwd !== before) stage.note(`The working folder is ${session.cwd}.`);
}

/** For a session in memory, those of the folder in which its file would be. */
function sessionsOf({ store, session: { sessionFile, cwd } }: Stage): StoredSessions {
  if (store) return sessionsInStore(store, cwd);
  const agentDir = agentFolder();
  const folder = sessionFile === null ? findSessionFolder({ cwd, agentDir }) : dirname(sessionFile);
  return sessionsInFiles({ folder, agentDir, ...(folder === sessionFolder(cwd, agentDir) ? {} : { cwd }) });
}

async function startNew(stage: Stage): Promise<void> {
  await stage.session.history.startNew();
  stage.showConversation();
  stage.note("This is a new session. The former one is unchanged.");
}

async function giveName(stage: Stage, args: string): Promise<void> {
  const { history } = stage.session;
  const name = args || (await askForText(stage, { title: "Name of the session", value: history.name ?? "" }));
  if (name === undefined || name.trim() === "") return;
  await history.setName(name);
  stage.note(`The session is named ${history.name}.`);
}

/** Its course, its result and its failure are shown by the view of the conversation. */
async function compact({ session }: Stage, args: string): Promise<void> {
  try {
    await session.compact(args === "" ? {} : { instructions: args });
  } catch (error) {
    const isShown = error instanceof SessionError && (error.code === "aborted" || error.code === "compaction_failed");
    if (!isShown) throw error;
  }
}

async function exportHtml(stage: Stage, args: string): Promise<void> {
  const path = await stage.session.history.exportHtml(args === "" ? undefined : args);
  stage.note(`The conversation is in ${path}.`);
}
