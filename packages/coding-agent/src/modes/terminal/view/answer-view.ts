import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@pikit/ai";
import type { CustomMessage } from "../../../protocol/messages.ts";
import type { Block } from "../block.ts";
import type { ToolDrawings } from "../extensions/tool-drawing.ts";
import type { Theme } from "../theme/theme.ts";
import type { MarkdownTransform } from "./markdown.ts";
import { TextBlock } from "./text-block.ts";
import { ThinkingBlock } from "./thinking-block.ts";
import { ToolBlock } from "./tool-block.ts";

/** All that the blocks of an answer need. */
export interface ViewOptions {
  theme: Theme;
  cwd: string;
  /** Milliseconds. */
  now(): number;
  showsThinking(): boolean;
  /** The renderers of extensions for tool calls. */
  drawings?: ToolDrawings | undefined;
  /** The block of a message that an extension renders; undefined for the default form. */
  messageBlock?(message: CustomMessage): Block | undefined;
  /** Changes a part of a message before it is rendered. */
  transformMarkdown?: MarkdownTransform;
  /** The text of an extension for thinking that is folded. */
  thinkingLabel?(): string | undefined;
  showsToolOutput(): boolean;
}

/** A text that has begun, but has only spaces and line breaks so far. */
interface Blank {
  kind: "text" | "thinking";
  text: string;
}

/** The blocks of one answer, by the index of its content. */
export class AnswerView {
  readonly #options: ViewOptions;
  readonly #blocks = new Map<number, Blank | TextBlock | ThinkingBlock | ToolBlock>();
  #hasText = false;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Whether text of the answer is shown. */
  get hasText(): boolean {
    return this.#hasText;
  }

  /** Handles an event of the stream. Returns the block that it begins. */
  show(event: AssistantMessageEvent): Block | undefined {
    switch (event.type) {
      case "text_start":
      case "thinking_start":
        this.#blocks.set(event.contentIndex, { kind: event.type === "text_start" ? "text" : "thinking", text: "" });
        return undefined;
      case "text_delta":
      case "thinking_delta":
        return this.#add(event.contentIndex, event.delta);
      case "text_end":
      case "thinking_end":
        this.#end(event.contentIndex);
        return undefined;
      case "toolcall_start":
        return this.#addCall(event.contentIndex, () => callAt(event.partial, event.contentIndex));
      default:
        return undefined;
    }
  }

  /**
   * Ends the texts. Returns the blocks of the calls by their ids; `added` are blocks of content that was not streamed.
   *
   * @param message - The whole answer.
   */
  end(message: AssistantMessage): { calls: Map<string, ToolBlock>; added: Block[] } {
    const calls = new Map<string, ToolBlock>();
    const added: Block[] = [];
    for (const [index, content] of message.content.entries()) {
      if (!this.#blocks.has(index)) added.push(...this.#addContent(index, content));
      this.#end(index);
      const block = this.#blocks.get(index);
      if (block instanceof ToolBlock && content.type === "toolCall") calls.set(content.id, block);
    }
    return { calls, added };
  }

  /** Ends all blocks of an answer that was not completed: its calls do not run. */
  abandon(): void {
    for (const [index, block] of this.#blocks) {
      if (block instanceof ToolBlock) block.abandon();
      else this.#end(index);
    }
  }

  #addContent(index: number, content: AssistantMessage["content"][number]): Block[] {
    if (content.type === "toolCall") return [this.#addCall(index, () => content)];
    const text = content.type === "text" ? content.text : content.thinking;
    this.#blocks.set(index, { kind: content.type, text: "" });
    const block = this.#add(index, text);
    if (block instanceof ThinkingBlock) block.end(null);
    return block ? [block] : [];
  }

  #addCall(index: number, call: () => ToolCall): ToolBlock {
    const { theme, cwd, now, showsToolOutput, drawings } = this.#options;
    const block = new ToolBlock(call, { theme, cwd, now, isFull: showsToolOutput, drawings });
    this.#blocks.set(index, block);
    return block;
  }

  #add(index: number, delta: string): Block | undefined {
    const block = this.#blocks.get(index);
    if (block instanceof TextBlock || block instanceof ThinkingBlock) block.add(delta);
    else if (block && !(block instanceof ToolBlock)) return this.#begin(index, block, delta);
    return undefined;
  }

  /** Creates the block when its first words arrive, because a block without words would be an empty place. */
  #begin(index: number, blank: Blank, delta: string): Block | undefined {
    blank.text += delta;
    if (delta.trim() === "") return undefined;
    const { theme, now, showsThinking, thinkingLabel = () => undefined, transformMarkdown } = this.#options;
    const block =
      blank.kind === "text"
        ? new TextBlock(theme, transformMarkdown)
        : new ThinkingBlock({ theme, now, isFull: showsThinking, label: thinkingLabel });
    this.#hasText ||= blank.kind === "text";
    block.add(blank.text.replace(/^\s*\n/, ""));
    this.#blocks.set(index, block);
    return block;
  }

  #end(index: number): void {
    const block = this.#blocks.get(index);
    if (block instanceof TextBlock || block instanceof ThinkingBlock) block.end();
  }
}

/** The call that grows; an empty one if the provider has not begun it. */
function callAt(message: AssistantMessage, index: number): ToolCall {
  const content = message.content[index];
  return content?.type === "toolCall" ? content : { type: "toolCall", id: "", name: "", arguments: {} };
}
