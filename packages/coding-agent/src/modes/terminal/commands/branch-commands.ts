import { typedTextOf } from "../../../prompt/typed-text.ts";
import type { EntryTreeNode } from "../../../protocol/entries.ts";
import { chooseFrom, type ListRow } from "../dialogs/list-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";
import { findBranches } from "./find-branches.ts";

export const branchCommands: readonly TerminalCommand[] = [
  { name: "tree", description: "go to another branch of the conversation", run: showTree },
  { name: "fork", description: "copy the conversation before a message into a new session", run: fork },
];

/** Goes back to an earlier message: the conversation branches before it, and its text is in the editor. For Esc Esc. */
export async function pickEarlierMessage(stage: Stage): Promise<void> {
  const entryId = await pickMessage(stage, "Go back to before a message");
  if (entryId === undefined) return;
  const text = await stage.session.history.branch(entryId);
  stage.showConversation();
  stage.setPromptText(text);
}

async function fork(stage: Stage): Promise<void> {
  const entryId = await pickMessage(stage, "Copy what is before a message into a new session");
  if (entryId === undefined) return;
  const text = await stage.session.history.fork(entryId);
  stage.showConversation();
  stage.setPromptText(text);
  stage.note("This is a new session. The former one is unchanged.");
}

/** Lets the user choose a message of the active branch, the latest first. */
async function pickMessage(stage: Stage, title: string): Promise<string | undefined> {
  const points = await stage.session.history.branchPoints();
  if (points.length === 0) {
    stage.note("There is no message to go back to yet.");
    return undefined;
  }
  const rows = points.map(({ entryId, text }): ListRow<string> => ({ value: entryId, label: text || "(no text)" })).reverse();
  return chooseFrom(stage, { title, rows });
}

async function showTree(stage: Stage): Promise<void> {
  const { history } = stage.session;
  const { messages, currentId } = findBranches(await history.tree(), history.leafId, textOf);
  if (messages.length === 0) {
    stage.note("The conversation has no message yet.");
    return;
  }
  const rows = messages.map(({ entryId, text, depth }) => ({
    value: entryId,
    label: `${"│ ".repeat(depth)}${text || "(no text)"}`,
  }));
  const chosen = await chooseFrom(stage, { title: "Branches", rows, ...(currentId === undefined ? {} : { current: currentId }) });
  const message = messages.find(({ entryId }) => entryId === chosen);
  if (!message || message.endId === history.leafId) return;
  await history.goTo(message.endId);
  stage.showConversation();
}

function textOf({ entry }: EntryTreeNode): string | undefined {
  return entry.type === "message" && entry.message.role === "user" ? typedTextOf(entry.message) : undefined;
}
