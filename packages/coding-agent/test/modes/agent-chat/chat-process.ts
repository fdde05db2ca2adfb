import { spawn } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import type { ChatEvent } from "../../../src/modes/agent-chat/protocol.ts";
import { type CliOptions, cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { RpcProcess } from "../../helpers/rpc-process.ts";
import type { Workspace } from "../../helpers/workspace.ts";
import { findViolations } from "./chat-client.ts";

/** `pi agent-rpc` as a real process. */
export class ChatProcess extends RpcProcess {
  /** What it has told so far. */
  get events(): ChatEvent[] {
    return this.records as unknown as ChatEvent[];
  }

  /** Resolves with the first event of that name. */
  async waitForEvent(event: ChatEvent["event"]): Promise<ChatEvent> {
    return (await this.waitFor({ event })) as unknown as ChatEvent;
  }
}

/** Starts `pi agent-rpc` from source. It is killed when the test is over, and all that it wrote must be what the protocol says. */
export function startChatProcess(workspace: Workspace, args: readonly string[] = [], options: CliOptions = {}): ChatProcess {
  const child = spawn(process.execPath, [...cliArguments, "agent-rpc", ...args], {
    cwd: options.cwd ?? workspace.cwd,
    env: cleanEnvironment(workspace, options.env),
  });
  const chat = new ChatProcess(child);
  onTestFinished(() => {
    child.kill("SIGKILL");
    expect(chat.events.flatMap(findViolations)).toEqual([]);
  });
  return chat;
}
