import type { AgentMessage } from "@pikit/agent";
import { isAbortNote } from "../../../conversation/messages.ts";
import type { SlashCommand } from "../../../protocol/data.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { describePhases } from "../../../todo/todo-text.ts";
import { showMessage } from "../dialogs/message-panel.ts";
import type { ActionGroup } from "../input/key-actions.ts";
import type { KeyBindings } from "../input/keys.ts";
import { groupDigits } from "../lines.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";
import { copyText } from "./copy-text.ts";
import { showText } from "./show-text.ts";

export const infoCommands: readonly TerminalCommand[] = [
  { name: "copy", description: "copy the last answer to the clipboard", run: copyAnswer },
  { name: "cost", aliases: ["stats", "session"], description: "tokens and cost of the session", run: showCost },
  { name: "todos", description: "the list of tasks", run: (stage) => showText(stage, describePhases(stage.session.todos.phases)) },
];

async function copyAnswer(stage: Stage): Promise<void> {
  const text = lastAnswer(stage.session.messages) ?? (await lastStoredAnswer(stage.session));
  if (text === undefined) {
    stage.note("There is no answer to copy yet.");
    return;
  }
  const ways = await copyText(text, { cwd: stage.session.cwd, writeSequence: (sequence) => stage.writeSequence(sequence) });
  if (ways.length === 0)
    stage.note("The answer is too long for the terminal's clipboard, and there is no wl-copy, xclip or pbcopy.", "error");
  else stage.note(`The last answer is in the clipboard (by ${ways.join(" and ")}).`);
}

/** The text of the last answer that has one: a failed or stopped answer may have none. */
function lastAnswer(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant" || isAbortNote(message)) continue;
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") return text;
  }
  return undefined;
}

/** The same of the whole branch: a compaction may have taken it out of the context. */
async function lastStoredAnswer({ history }: AgentSession): Promise<string | undefined> {
  let last: string | undefined;
  for await (const entries of history.readBranch()) {
    last = lastAnswer(entries.flatMap((entry) => (entry.type === "message" ? entry.message : []))) ?? last;
  }
  return last;
}

function showCost(stage: Stage): void {
  const { tokens, cost, contextUsage, userMessages, assistantMessages, toolCalls } = stage.session.stats();
  const { tokens: used, contextWindow, percent } = contextUsage;
  const context =
    used === null
      ? "not known before the next answer"
      : `${groupDigits(used)}${percent === null ? "" : ` of ${groupDigits(contextWindow)} tokens (${Math.round(percent)} %)`}`;
  showText(
    stage,
    [
      "This session, with all its branches",
      `cost      $${cost.toFixed(4)}`,
      `tokens    ${groupDigits(tokens.total)}: ${groupDigits(tokens.input)} in, ${groupDigits(tokens.output)} out, ${groupDigits(tokens.cacheRead)} read from the cache, ${groupDigits(tokens.cacheWrite)} written to it`,
      `context   ${context}`,
      `messages  ${userMessages} of yours, ${assistantMessages} answers, ${toolCalls} tool calls`,
    ].join("\n"),
  );
}

/** Lists the commands of the terminal and those of the session. */
export async function showHelp(stage: Stage, commands: readonly TerminalCommand[]): Promise<void> {
  const own = commands.map(({ name, aliases = [], argument, description }): [string, string] => [
    [name, ...aliases].map((each) => `/${each}`).join(", ") + (argument === undefined ? "" : ` ${argument}`),
    description,
  ]);
  const others = (await stage.session.listCommands()).map(({ name, description = "" }: SlashCommand): [string, string] => [
    `/${name}`,
    description,
  ]);
  const parts = [
    ["Commands", ...toColumns(own)],
    others.length > 0 ? ["", "Of extensions, templates and skills", ...toColumns(others)] : [],
    ["", ...typing],
  ];
  await showMessage(stage, "Help", parts.flat().join("\n"));
}

const typing: readonly string[] = [
  "Typing",
  ...toColumns([
    ["Enter", "sends; during a run it steers the run"],
    ["Alt-Enter", "queues a message for the end of the run"],
    ["@", "completes the name of a file"],
    ["!command", "runs a command; the model gets its output with the next prompt"],
    ["!!command", "runs a command only for you"],
    ["Esc", "aborts the run; twice: back to an earlier message"],
    ["/hotkeys", "lists all keys"],
  ]),
];

function toColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(24, Math.max(0, ...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right.replace(/\s+/g, " ").slice(0, 200)}`);
}

const groupTitles: Readonly<Record<ActionGroup, string>> = {
  session: "Of the conversation",
  editor: "In the editor",
  list: "In lists and questions",
};

/** Lists the keys in use, each with the name of its action in the settings. */
export function showHotkeys(stage: Stage, keys: KeyBindings): Promise<void> {
  const listed = keys.list();
  const parts = (Object.keys(groupTitles) as ActionGroup[]).flatMap((group) => {
    const rows = listed
      .filter((each) => each.group === group)
      .map(({ action, keys: names, description }) => [names.join(", ") || "(no key)", `${description} [${action}]`] as const);
    return [groupTitles[group], ...toColumns(rows), ""];
  });
  const others = stage.shortcuts.map(({ key, description = "" }) => [key, description] as const);
  if (others.length > 0) parts.unshift("Of extensions", ...toColumns(others), "");
  const advice = 'Change a key with "keys" in settings.json: { "newLine": "ctrl+j" }. The name in brackets is the action.';
  return showMessage(stage, "Keys", [...parts, advice].join("\n"));
}
