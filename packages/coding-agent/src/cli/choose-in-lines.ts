import { describeAge, type StoredSessions } from "../conversation/stored-sessions.ts";
import { writeError } from "../modes/terminal-text.ts";
import type { TerminalUser } from "../modes/terminal-user.ts";
import type { Arguments } from "./args.ts";

/** Maximum number of sessions in the list, the latest ones. */
const maxListed = 20;
/** Maximum characters of a line of the list. */
const maxTitle = 120;

/**
 * Lets the user choose a session of this folder in plain lines: a list with numbers, the latest first.
 *
 * @returns The arguments that open it; undefined if none was chosen.
 */
export async function chooseInLines(
  { options, prompts }: Arguments,
  user: TerminalUser,
  stored: StoredSessions,
): Promise<Arguments | undefined> {
  const sessions = await stored.list({ all: false, limit: maxListed });
  if (sessions.length === 0) {
    writeError("This folder has no sessions yet. pi sessions --all lists those of every folder.");
    return undefined;
  }
  const descriptions = await stored.describe(sessions);
  for (const [index, info] of sessions.entries()) {
    const { name, firstPrompt = "" } = descriptions[index] ?? {};
    const prompt = firstPrompt.replace(/\s+/g, " ").trim() || "(no prompt)";
    const title = (name === undefined ? prompt : `${name}: ${prompt}`).slice(0, maxTitle);
    writeError(`${index + 1}. ${title} (${describeAge(Date.now() - info.modifiedMs)})`);
  }
  for (;;) {
    const typed = await user.readLine("Number of the session (Enter: none): ");
    if (!typed) return undefined;
    const session = sessions[Number(typed) - 1];
    const { resume: _chosen, ...others } = options;
    if (session) return { options: { ...others, session: session.ref }, prompts };
    writeError(`There is no number ${typed.slice(0, 20)} in the list: type one from 1 to ${sessions.length}, or only Enter.`);
  }
}
