import type { AgentMessage, AgentTool } from "@pikit/agent";
import type { ImageContent, Model, RequestedThinkingLevel, ThinkingLevel } from "@pikit/ai";
import type { Conversation } from "../conversation/conversation.ts";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { CustomProvider } from "../models/custom-providers.ts";
import type { ScopedModel } from "../models/model-choice.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import type { AddedPaths } from "../prompt/prompt-resources.ts";
import type { CompactionResult, ContextUsage, SlashCommand, StreamingBehavior } from "../protocol/data.ts";
import type { ExtensionErrorEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { UserInterface } from "../user-interface.ts";
import type { ExtensionMode, NavigateOptions, SystemPromptOptions, WritableSessionManager } from "./api-context.ts";

interface NewSessionOptions {
  /** The session that the new one continues. */
  parentSession?: string;
  /** Adds entries before extensions start. */
  setup?(session: WritableSessionManager): void | Promise<void>;
}

/** A message of the user from an extension. */
export interface SentText {
  text: string;
  images: readonly ImageContent[];
  /** How it is queued during a run. Without it, it is refused then. */
  behavior: StreamingBehavior | undefined;
  /** Whether `/name` calls commands, templates and skills. */
  isExpanded: boolean;
}

/** The part of a session that its extensions may use. */
export interface SessionAccess {
  readonly cwd: string;
  readonly sessionId: string;
  readonly sessionFile: string | null;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly scopedModels: readonly ScopedModel[];
  readonly messages: readonly AgentMessage[];
  readonly isStreaming: boolean;
  readonly hasQueued: boolean;
  readonly isTrusted: boolean;
  readonly contextUsage: ContextUsage | undefined;
  readonly systemPrompt: string;
  readonly systemPromptOptions: SystemPromptOptions;
  readonly user: UserInterface;
  readonly mode: ExtensionMode;
  readonly runProcess: ProcessRunner;
  readonly conversation: Conversation;
  readonly registry: ModelRegistry;
  emit(event: ExtensionErrorEvent): void | Promise<void>;
  /** Sends a text of the user: starts a run, or queues the text during a run. Resolves when it is stored. */
  sendText(sent: SentText): Promise<void>;
  /** Adds a message; with `behavior` the model answers it. Resolves when it is stored. */
  sendMessage(message: CustomMessage, behavior?: StreamingBehavior): Promise<void>;
  appendEntry(customType: string, data: unknown): Promise<void>;
  lastEntry(customType: string): Promise<unknown>;
  setName(name: string): Promise<void>;
  setLabel(entryId: string, label: string | undefined): Promise<void>;
  /** Replaces the tools of extensions and their risk tiers. */
  setTools(tools: readonly AgentTool[], tiers: Readonly<Record<string, RiskTier>>): void;
  /** The tools that the model has. */
  readonly activeTools: readonly AgentTool[];
  /** All tools, active or not. */
  readonly allTools: readonly AgentTool[];
  isBuiltIn(tool: AgentTool): boolean;
  /** Sets the tools that the model has. Unknown names are ignored. */
  activateTools(names: readonly string[]): void;
  /** The templates and skills that were read so far. */
  readonly promptCommands: readonly SlashCommand[];
  addProvider(provider: CustomProvider): void;
  removeProvider(name: string): void;
  /** @returns False if the model's provider has no key. */
  setModel(model: Model): Promise<boolean>;
  setThinkingLevel(level: RequestedThinkingLevel): Promise<void>;
  /** Ends the run after the current turn, if all tools of the turn want it. */
  endAfter(toolCallId: string): void;
  /** Reads skills, templates and context files, and makes the system prompt. */
  readResources(): Promise<void>;
  /** Adds skills and templates. */
  addResources(paths: AddedPaths): void;
  abort(): void;
  shutdown(): void;
  waitForIdle(): Promise<void>;
  compact(instructions?: string): Promise<CompactionResult>;
  /** The moves resolve to false if an extension refused. */
  newSession(options: NewSessionOptions): Promise<boolean>;
  switchSession(path: string): Promise<boolean>;
  fork(entryId: string, position: "before" | "at"): Promise<boolean>;
  navigate(entryId: string, options: NavigateOptions): Promise<boolean>;
  reload(): Promise<void>;
}
