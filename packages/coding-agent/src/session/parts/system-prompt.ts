import type { Agent, AgentTool } from "@pikit/agent";
import type { ToolSet } from "./tool-set.ts";
import type { Transcript } from "./transcript.ts";

export interface SystemPromptParts {
  agent: Agent;
  tools: ToolSet;
  transcript: Transcript;
  build(cwd: string, tools: readonly AgentTool[]): string | Promise<string>;
}

/** Keeps the agent's system prompt up with its tools and its folder. */
export class SystemPrompt {
  readonly #parts: SystemPromptParts;
  /** The revision of the tools that the prompt was made for, and the session. */
  #madeFor = "";
  #isReplaced = false;

  constructor(parts: SystemPromptParts) {
    this.#parts = parts;
  }

  get text(): string {
    return this.#parts.agent.state.systemPrompt;
  }

  /** Makes it ready for a prompt that is about to be accepted. */
  async begin(): Promise<void> {
    if (this.#isReplaced) this.forget();
    await this.refresh();
  }

  /** Makes it anew where the tools have changed since, unless it was replaced. */
  async refresh(): Promise<void> {
    const { agent, tools, transcript, build } = this.#parts;
    const { header } = transcript.conversation;
    const wanted = `${tools.revision} ${header.id}`;
    if (this.#isReplaced || this.#madeFor === wanted) return;
    agent.state.systemPrompt = await build(header.cwd, agent.state.tools);
    this.#madeFor = wanted;
  }

  /** Replaces it for the run that is about to start. */
  replace(text: string): void {
    this.#parts.agent.state.systemPrompt = text;
    this.#isReplaced = true;
  }

  /** Has it made anew for the next prompt. */
  forget(): void {
    this.#madeFor = "";
    this.#isReplaced = false;
  }
}
