import { keyVariablesOf, providers } from "@pikit/ai";
import { afterEach, beforeEach, vi } from "vitest";
import { findCommand } from "../../src/modes/terminal/commands/find-command.ts";
import type { FakeStage } from "./fake-stage.ts";
import type { Workspace } from "./workspace.ts";

/** Runs a typed command, and shows its error as the mode does. Resolves when it has ended. */
export async function runTyped(stage: FakeStage, text: string): Promise<void> {
  const call = findCommand(text);
  if (!call) throw new Error(`no command: ${text}`);
  try {
    await call.command.run(stage, call.args);
  } catch (error) {
    stage.note((error as Error).message, "error");
  }
}

/** Commands find the agent folder of the workspace, no key in the environment, and no server of Ollama, in each test of the file. */
export function useAgentFolder(workspace: Workspace): void {
  beforeEach(() => {
    vi.stubEnv("PI_CODING_AGENT_DIR", workspace.agentDir);
    // A port on which nothing listens.
    vi.stubEnv("OLLAMA_HOST", "127.0.0.1:9");
    for (const name of providers.flatMap(({ provider }) => keyVariablesOf(provider))) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
}
