// Asks the user before the model runs a shell command that is hard to take back. Where nobody can be asked, such a command is refused.
// It looks for words, not for meaning: for a careful reading of commands use the built-in approvals (`approval` in settings.json).
import type { ExtensionApi } from "@pikit/coding-agent";

const risky: readonly [pattern: RegExp, why: string][] = [
  [/\brm\s+(-\w*[rf]|--recursive|--force)/, "deletes files"],
  [/\bsudo\b/, "runs as root"],
  [/\bgit\s+(push|reset\s+--hard|clean)\b/, "changes what git keeps"],
  [/\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/, "runs what it downloads"],
];

export default function (pi: ExtensionApi): void {
  pi.on("tool_call", async ({ toolName, args }, { ui }) => {
    if (toolName !== "bash") return;
    const command = String(args.command);
    const reasons = risky.flatMap(([pattern, why]) => (pattern.test(command) ? [why] : []));
    if (reasons.length === 0) return;
    if (await ui.confirm(`This command ${reasons.join(" and ")}. Run it?`, command)) return;
    return { block: true, reason: "The user did not allow this command. Ask how to go on, or find another way." };
  });
}
