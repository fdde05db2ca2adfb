import type { ImageContent, TextContent } from "@pikit/ai";
import type { StreamingBehavior } from "../protocol/data.ts";

/** A text, or texts and images. */
export type MessageContent = string | (TextContent | ImageContent)[];

/** A message of an extension. */
export interface CustomMessageInput {
  /** The kind of message, for user interfaces and other readers of the session. */
  customType: string;
  /** The content for the model. */
  content: MessageContent;
  /** Whether user interfaces show it. Default true. */
  display?: boolean;
  /** JSON data for user interfaces. */
  details?: unknown;
}

/** A text of the user, or a message of an extension. */
export type MessageInput = string | CustomMessageInput;

export interface SendOptions {
  /**
   * During a run, `steer`: before the next model call; `followUp`: when the run would end. `nextTurn`: with the next prompt. Default for texts:
   * `followUp`; for messages of extensions during a run: `steer`.
   */
  deliverAs?: StreamingBehavior | "nextTurn";
  /**
   * Whether a message of an extension starts a run while none is active. Default: false. With an explicit false and without `deliverAs`, the
   * message is only added, also during a run.
   */
  triggerTurn?: boolean;
}

export interface SendUserOptions {
  /** During a run: see `SendOptions`. Needed then. */
  deliverAs?: StreamingBehavior;
  /** Whether `/name` calls commands, templates and skills. Default: false. */
  expandPromptTemplates?: boolean;
}
