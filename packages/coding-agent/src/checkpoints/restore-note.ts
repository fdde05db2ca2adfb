import type { FileRestore } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";

/** Maximum number of files that are named. */
const maxNamed = 50;

/** The message that tells the model which files an undo or a redo has changed; undefined if it has changed none. */
export function restoreNote(kind: "undo" | "redo", { restored }: FileRestore): CustomMessage | undefined {
  if (restored.length === 0) return undefined;
  const what = kind === "undo" ? "undone the latest changes of files" : "taken back the last undo of changes of files";
  const lines = restored.slice(0, maxNamed).map(({ path, action }) => `- ${path}${action === "replaced" ? "" : ` (${action})`}`);
  if (restored.length > maxNamed) lines.push(`- and ${restored.length - maxNamed} more`);
  return {
    role: "custom",
    customType: "pikit.undo",
    content: `The user has ${what}. These files now have other content than you have seen last:\n${lines.join("\n")}`,
    display: true,
    timestamp: Date.now(),
  };
}
