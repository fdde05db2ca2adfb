import { join } from "node:path";
import type { AgentMessage } from "@pikit/agent";
import { reasonOf } from "@pikit/ai/files/sync";
import { typedTextOf } from "../../../prompt/typed-text.ts";
import { withoutFiles } from "../../files-in-prompt.ts";
import { maxPrompts } from "./history-end.ts";
import { HistoryFile } from "./history-file.ts";
import type { PastPrompts } from "./prompt-editor.ts";

export interface PromptHistoryOptions {
  agentDir: string;
  /** Whether new prompts are stored for other sessions. False for a session that is kept in memory only. */
  isStored: boolean;
  /** The messages of the session. */
  messages(): readonly AgentMessage[];
  /** Called once, with a line about the reason why prompts cannot be stored. */
  onProblem?(problem: string): void;
}

/** The prompts that the editor offers again: those of the session first, then those of other sessions. */
export class PromptHistory implements PastPrompts {
  readonly #options: PromptHistoryOptions;
  readonly #path: string;
  readonly #file: HistoryFile;
  /** The prompts of this process, as they were typed. */
  #added: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(options: PromptHistoryOptions) {
    this.#options = options;
    this.#path = join(options.agentDir, "prompt-history.jsonl");
    this.#file = new HistoryFile(this.#path);
  }

  /** At most 1,000 prompts, the latest last, each of them once. */
  list(): readonly string[] {
    const newestFirst = [...this.#stored(), ...promptsOf(this.#options.messages()), ...this.#added].reverse();
    return [...new Set(newestFirst)].slice(0, maxPrompts).reverse();
  }

  add(text: string): void {
    if (this.#added.at(-1) === text) return;
    this.#added = [...this.#added, text].slice(-maxPrompts);
    if (!this.#options.isStored) return;
    this.#writing = this.#writing.then(() => this.#file.append(text)).catch((error: unknown) => this.#report(error));
  }

  /** Resolves when all prompts are stored. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #stored(): readonly string[] {
    try {
      return this.#file.read();
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  #report(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onProblem?.(`The history of prompts in ${this.#path} cannot be used: ${reasonOf(error)}.`);
  }
}

/** The typed texts of the latest messages of the user. */
function promptsOf(messages: readonly AgentMessage[]): string[] {
  const prompts: string[] = [];
  for (let index = messages.length - 1; index >= 0 && prompts.length < maxPrompts; index--) {
    const message = messages[index];
    const text = message ? withoutFiles(typedTextOf(message)).trim() : "";
    if (text !== "") prompts.push(text);
  }
  return prompts.reverse();
}
