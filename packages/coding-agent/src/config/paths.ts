import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The folder for configuration and sessions: `PI_CODING_AGENT_DIR`, otherwise `~/.pi/agent`. */
export function agentFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const override = environment.PI_CODING_AGENT_DIR;
  return override ? resolve(override) : join(homedir(), ".pi", "agent");
}

/** The folder of a project's own settings, extensions and other resources for the agent. */
export function projectFolder(cwd: string): string {
  return join(cwd, ".pi");
}

/** The folder for the sessions of a working folder. Its name is one path segment of at most 255 bytes. */
export function sessionFolder(cwd: string, agentDir: string): string {
  const name = cwd.replace(/^[/\\]+/, "").replace(/[/\\:]+/g, "-");
  // The end of a path is kept, because it is more specific than the beginning.
  const kept = Buffer.from(name).subarray(-251).toString("utf8").replaceAll("\ufffd", "");
  return join(agentDir, "sessions", `--${kept}--`);
}

/** The name of a session file. */
export function sessionFileName(header: { id: string; timestamp: string }): string {
  return `${header.timestamp.replace(/[:.]/g, "-")}_${header.id}.jsonl`;
}

/** The folder beside a session file that has what an undo needs. */
export function keptFilesFolder(sessionFile: string): string {
  return `${sessionFile.replace(/\.jsonl$/, "")}.files`;
}

/** The same folder for a session that is not in a file. */
export function keptFilesFolderOf(sessionId: string, agentDir: string): string {
  return join(agentDir, "undo", `${sessionId}.files`);
}

/** The absolute path of a path that is relative to `folder`, or begins with `~`. */
export function toAbsolute(path: string, folder: string): string {
  return resolve(folder, path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path);
}
