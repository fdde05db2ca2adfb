import type { AgentMessage, AgentTool } from "@pikit/agent";
import type { Model } from "@pikit/ai";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { CustomProvider } from "../models/custom-providers.ts";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { ExtensionErrorEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { UserInterface } from "../user-interface.ts";

/** The part of a session that its extensions may use. */
export interface SessionAccess {
  readonly cwd: string;
  readonly sessionId: string;
  readonly sessionFile: string | null;
  readonly model: Model | undefined;
  readonly messages: readonly AgentMessage[];
  readonly isStreaming: boolean;
  readonly user: UserInterface;
  readonly runProcess: ProcessRunner;
  emit(event: ExtensionErrorEvent): void | Promise<void>;
  /** Sends a text of the user: starts a run, or queues the text during a run. Resolves when it is stored. */
  sendText(text: string, behavior: StreamingBehavior): Promise<void>;
  /** Adds a message; with `behavior` the model answers it. Resolves when it is stored. */
  sendMessage(message: CustomMessage, behavior?: StreamingBehavior): Promise<void>;
  appendEntry(customType: string, data: unknown): Promise<void>;
  lastEntry(customType: string): Promise<unknown>;
  /** Replaces the tools of extensions and their risk tiers. */
  setTools(tools: readonly AgentTool[], tiers: Readonly<Record<string, RiskTier>>): void;
  addProvider(provider: CustomProvider): void;
  abort(): void;
  shutdown(): void;
  waitForIdle(): Promise<void>;
  compact(instructions?: string): Promise<void>;
  newSession(): Promise<boolean>;
  switchSession(path: string): Promise<boolean>;
}
