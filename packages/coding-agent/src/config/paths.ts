import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where configuration and sessions live: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function agentFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const override = environment.PI_CODING_AGENT_DIR;
  return override ? resolve(override) : join(homedir(), ".pi", "agent");
}

/** Where a project keeps what changes the agent for those who work on it. */
export function projectFolder(cwd: string): string {
  return join(cwd, ".pi");
}

/** The folder that holds the sessions of a working folder. Its name is one path segment of at most 255 bytes, whatever the path. */
export function sessionFolder(cwd: string, agentDir: string): string {
  const name = cwd.replace(/^[/\\]+/, "").replace(/[/\\:]+/g, "-");
  // The end of a path tells more than its beginning.
  const kept = Buffer.from(name).subarray(-251).toString("utf8").replaceAll("\ufffd", "");
  return join(agentDir, "sessions", `--${kept}--`);
}

/** The name of a session's file. */
export function sessionFileName(header: { id: string; timestamp: string }): string {
  return `${header.timestamp.replace(/[:.]/g, "-")}_${header.id}.jsonl`;
}
