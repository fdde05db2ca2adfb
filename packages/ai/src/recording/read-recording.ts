import { fileLimits, readWhole, reasonOf } from "../files/index.ts";
import { type CallLine, type EventLine, type RecordedModel, recordingError } from "./format.ts";
import { requireRecording } from "./recording-file.ts";
import type { MessageSummary, RequestSummary } from "./request-summary.ts";

/** A recorded response. */
export interface RecordedResponse {
  ms: number;
  status: number;
  headers: Record<string, string>;
  /** Events, or the body as one step. */
  steps: (EventLine | Extract<CallLine, { type: "body" }>)[];
  ending?: Extract<CallLine, { type: "close" | "cut" }>;
}

/** A recorded model call. */
export interface RecordedCall {
  /** The first line of the call in the file, counted from 1. */
  line: number;
  model: RecordedModel;
  request: RequestSummary;
  /** One for each request that got a response. */
  responses: RecordedResponse[];
  /** Undefined if the process was killed before the end. */
  end?: Extract<CallLine, { type: "end" }>;
}

/**
 * Reads a recording. Skips an incomplete last line and lines of unknown types.
 *
 * @throws {AiError} `unsupported` when the file cannot be read or is not a recording; the message names file and line.
 */
export async function readRecording(path: string): Promise<RecordedCall[]> {
  let text: string;
  try {
    text = (await readWhole(path, fileLimits.recording)).toString("utf8");
  } catch (cause) {
    throw recordingError(`Cannot read the recording ${path}: ${reasonOf(cause)}. Make one with record() or pi --record.`, cause);
  }
  requireRecording(text, path);
  const reader = new CallReader();
  for (const [index, line] of text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .entries()) {
    if (line === "") continue;
    try {
      reader.read(JSON.parse(line) as CallLine, index + 1);
    } catch (cause) {
      throw recordingError(`${path}:${index + 1} is not a line of a recording: ${(cause as Error).message}`, cause);
    }
  }
  return reader.calls;
}

class CallReader {
  readonly calls: RecordedCall[] = [];
  readonly #open = new Map<number, RecordedCall>();
  #lastMessages: MessageSummary[] = [];

  read(line: CallLine, lineNumber: number): void {
    const call = this.#open.get(line.stream);
    const response = call?.responses.at(-1);
    switch (line.type) {
      case "request":
        this.#begin(line, lineNumber);
        break;
      case "response":
        call?.responses.push({ ms: line.ms, status: line.status, headers: line.headers, steps: [] });
        break;
      case "event":
      case "body":
        response?.steps.push(line);
        break;
      case "close":
      case "cut":
        if (response) response.ending = line;
        break;
      case "end":
        if (call) call.end = line;
        this.#open.delete(line.stream);
        break;
      default:
        break; // a line type of a later version
    }
  }

  #begin({ stream, model, tools, kept, messages }: Extract<CallLine, { type: "request" }>, line: number): void {
    this.#lastMessages = [...this.#lastMessages.slice(0, kept), ...messages];
    const call: RecordedCall = {
      line,
      model,
      request: { model: model.id, tools, messages: this.#lastMessages },
      responses: [],
    };
    this.calls.push(call);
    this.#open.set(stream, call); // replaces a call of another process that has the same number and never ended
  }
}
