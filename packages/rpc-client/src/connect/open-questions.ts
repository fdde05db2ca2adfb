import type { SentRecord } from "../transport.ts";
import { dialogMethods } from "../ui-handlers.ts";

type Frame = Record<string, unknown>;

/** A dialog, or a call of a host tool or host model, without an end. */
interface OpenQuestion {
  kind: "dialog" | "tool" | "model";
  /** Of the call of a tool. */
  toolCallId: string | undefined;
  /** The answer of this program as it was sent. */
  answer: string | undefined;
  /** Whether it is known to be open; false after a gap in the frames, in which its end may have been. */
  isConfirmed: boolean;
}

/** The answer to a call of a model that this program was answering: parts of it may be lost with the old connection, so it is made again. */
function cutCall(id: string): string {
  const message = "The connection to the program that holds the model was cut before the answer was complete.";
  return JSON.stringify({ type: "host_model_error", id, message, retryable: true });
}

/**
 * The open questions of a session. The server repeats each of them over a new connection; this program is asked once, and its answer, which
 * may have been lost with the old connection, is sent again.
 */
export class OpenQuestions {
  readonly #questions = new Map<string, OpenQuestion>();

  /** Notes the questions and their ends among the frames. */
  note(frame: Frame): void {
    const { type, id } = frame;
    if (type === "extension_ui_request" && dialogMethods.has(String(frame.method))) this.#open(String(id), "dialog");
    else if (type === "host_tool_call") this.#open(String(id), "tool", String(frame.toolCallId));
    else if (type === "host_model_call") this.#open(String(id), "model");
    else if (type === "extension_ui_response") this.#questions.delete(String(id));
    else if (type === "host_tool_cancel" || type === "host_model_cancel") this.#questions.delete(String(frame.targetId));
    else if (type === "tool_execution_end") this.#endCall(frame.toolCallId);
  }

  /** Notes an answer of this program. */
  answer({ type, id }: SentRecord, text: string): void {
    const question = this.#questions.get(id);
    if (question === undefined || type === "host_tool_update") return;
    if (question.kind === "model") question.answer = cutCall(id);
    else question.answer = text;
  }

  /**
   * Handles a question that the server repeats.
   *
   * @param send - Called with the answer, if this program has answered it.
   * @returns Whether it is new for this program.
   */
  isNew(frame: Frame, send: (answer: string) => void): boolean {
    const question = this.#questions.get(String(frame.id));
    if (question === undefined) {
      this.note(frame);
      return true;
    }
    question.isConfirmed = true;
    if (question.answer !== undefined) send(question.answer);
    return false;
  }

  /** Notes a gap in the frames. The server repeats the questions that are still open. */
  unconfirm(): void {
    for (const question of this.#questions.values()) question.isConfirmed = false;
  }

  /** Removes the questions that the server has not repeated. Returns frames that close them. */
  takeUnconfirmed(): Frame[] {
    const frames: Frame[] = [];
    for (const [id, { isConfirmed, kind }] of this.#questions) {
      if (isConfirmed) continue;
      this.#questions.delete(id);
      if (kind === "dialog") frames.push({ type: "extension_ui_response", id, cancelled: true });
      else frames.push({ type: `host_${kind}_cancel`, id, targetId: id });
    }
    return frames;
  }

  clear(): void {
    this.#questions.clear();
  }

  #open(id: string, kind: OpenQuestion["kind"], toolCallId?: string): void {
    this.#questions.set(id, { kind, toolCallId, answer: undefined, isConfirmed: true });
  }

  #endCall(toolCallId: unknown): void {
    for (const [id, question] of this.#questions) if (question.toolCallId === toolCallId) this.#questions.delete(id);
  }
}
