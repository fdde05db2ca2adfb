import type { Agent, AgentTool } from "@pikit/agent";
import type { ToolSet } from "./tool-set.ts";
import type { Transcript } from "./transcript.ts";

export interface SystemPromptParts {
  agent: Agent;
  tools: ToolSet;
  transcript: Transcript;
  build(cwd: string, tools: readonly AgentTool[]): string | Promise<string>;
}

/** Keeps the agent's system prompt up to date with its tools and its folder. */
export class SystemPrompt {
  readonly #parts: SystemPromptParts;
  /** The revision of the tools and the id of the session for which the prompt was built. */
  #madeFor = "";
  #isReplaced = false;

  constructor(parts: SystemPromptParts) {
    this.#parts = parts;
  }

  /** Empty before the first prompt. */
  get text(): string {
    return this.#parts.agent.state.systemPrompt;
  }

  /** Prepares the system prompt for a new prompt. */
  async begin(): Promise<void> {
    if (this.#isReplaced) this.forget();
    await this.refresh();
  }

  /** Rebuilds it if the tools or the session have changed, unless it was replaced. */
  async refresh(): Promise<void> {
    const { agent, tools, transcript, build } = this.#parts;
    const { header } = transcript.conversation;
    const wanted = `${tools.revision} ${header.id}`;
    if (this.#isReplaced || this.#madeFor === wanted) return;
    agent.state.systemPrompt = await build(header.cwd, agent.state.tools);
    this.#madeFor = wanted;
  }

  /** Replaces it for the next run. */
  replace(text: string): void {
    this.#parts.agent.state.systemPrompt = text;
    this.#isReplaced = true;
  }

  /** Makes the next prompt rebuild it. */
  forget(): void {
    this.#madeFor = "";
    this.#isReplaced = false;
  }
}
