import type { Frame, QuestionFrame } from "../wire/frames.ts";

/** A dialog that waits for an answer. */
export type Question = Extract<QuestionFrame, { method: "select" | "confirm" | "input" | "editor" }>;

/** The open questions of a session, the oldest first. */
export class Questions {
  #open: Question[] = [];
  /** The ids of the questions that were answered. A server sends an open question again after each reconnection. */
  #answered = new Set<string>();

  get open(): readonly Question[] {
    return this.#open;
  }

  /** Applies a frame. @returns Whether the open questions have changed. */
  apply(frame: Frame): boolean {
    if (frame.type === "extension_ui_response") return this.close(frame.id);
    if (frame.type === "resync") {
      // The questions that are still open follow.
      const hadSome = this.#open.length > 0;
      this.#open = [];
      return hadSome;
    }
    if (frame.type !== "extension_ui_request" || !isQuestion(frame)) return false;
    if (this.#answered.has(frame.id) || this.#open.some(({ id }) => id === frame.id)) return false;
    this.#open = [...this.#open, frame];
    return true;
  }

  /** Removes a question that was answered, here or elsewhere. @returns Whether it was open. */
  close(id: string): boolean {
    const before = this.#open.length;
    this.#open = this.#open.filter((question) => question.id !== id);
    if (this.#open.length === before) return false;
    this.#answered.add(id);
    return true;
  }

  /** Opens a question again whose answer did not reach the server. */
  reopen(question: Question): void {
    this.#answered.delete(question.id);
    if (!this.#open.some(({ id }) => id === question.id)) this.#open = [question, ...this.#open];
  }
}

function isQuestion(frame: QuestionFrame): frame is Question {
  return frame.method === "select" || frame.method === "confirm" || frame.method === "input" || frame.method === "editor";
}
