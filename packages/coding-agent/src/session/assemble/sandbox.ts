import type { SandboxSettings } from "../../config/sandbox-modes.ts";
import type { Settings } from "../../config/settings.ts";
import { UsageError } from "../../errors.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Transcript } from "../parts/transcript.ts";
import type { Setup } from "./setup.ts";

/**
 * Creates the sandbox of a session; a sub-task uses that of the delegating session.
 *
 * @returns undefined if it is off, or commands run elsewhere.
 * @throws {UsageError} `sandbox_unavailable` if the mode is `require`, and the sandbox cannot be made.
 */
export async function createSandbox(
  { options, parent, report, onFailure }: Setup,
  settings: Settings,
  transcript: Pick<Transcript, "conversation">,
): Promise<Sandbox | undefined> {
  if (parent) return parent.sandbox;
  const chosen = chooseSettings(options.sandbox, settings.sandbox);
  const { mode = "off" } = chosen;
  if (mode === "off") return undefined;
  if (options.runProcess !== undefined && options.runsLocally !== true) {
    const problem = "the host of this session runs commands itself (runProcess)";
    if (mode === "require") throw new UsageError("sandbox_unavailable", `The required sandbox cannot be made: ${problem}.`);
    report(`Commands run without a sandbox: ${problem}.`);
    return undefined;
  }
  const { Sandbox: Loaded } = await import("../../sandbox/sandbox.ts");
  const cwd = () => transcript.conversation.header.cwd;
  const sandbox = new Loaded({ settings: chosen, agentDir: options.agentDir, cwd, report });
  onFailure(() => sandbox.stop());
  if (mode === "require") await sandbox.prepare();
  return sandbox;
}

function chooseSettings(option: Setup["options"]["sandbox"], settings: SandboxSettings = {}): SandboxSettings {
  if (option === undefined) return settings;
  return typeof option === "string" ? { ...settings, mode: option } : { ...settings, ...option };
}
