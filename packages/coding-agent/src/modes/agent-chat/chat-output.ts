import { encodeLine } from "../../protocol/jsonl.ts";
import { BatchedOutput } from "../batched-output.ts";
import type { ByteSink } from "../output-sink.ts";
import { type OutputPiece, omission, WaitingOutput } from "../waiting-output.ts";
import type { ChatEvent } from "./protocol.ts";

type CommandOutput = Extract<ChatEvent, { event: "command_output" }>;
type OutputStream = CommandOutput["data"]["stream"];
/** An item of the queue: an event, or the joined output of a command, which becomes several events. */
type Waiting = ChatEvent | WaitingOutput<OutputStream>;

/**
 * The only writer of stdout. While the reader is slow, consecutive text chunks are joined, and so is the output of a command. Of long output the
 * beginning is dropped; the tool result contains its end too.
 */
export class ChatOutput {
  readonly #output: BatchedOutput<Waiting>;

  constructor(sink: ByteSink) {
    this.#output = new BatchedOutput<Waiting>(sink, { encode: encodeWaiting, join });
  }

  /** Sends an event. It must not change afterwards. */
  send(event: ChatEvent): void {
    this.#output.send(event);
  }

  /** Resolves when everything sent so far is written, or cannot be written any more. */
  flush(): Promise<void> {
    return this.#output.flush();
  }
}

/** One item for two consecutive ones; undefined if they must stay apart. Only the first can be joined output. */
function join(last: Waiting, next: Waiting): Waiting | undefined {
  if (next instanceof WaitingOutput) return undefined;
  if (next.event === "command_output") return joinOutput(last, next);
  if (next.event !== "text_chunk" || last instanceof WaitingOutput || last.event !== "text_chunk") return undefined;
  return { event: "text_chunk", data: { text: last.data.text + next.data.text } };
}

function joinOutput(last: Waiting, next: CommandOutput): Waiting | undefined {
  const output = last instanceof WaitingOutput ? last : new WaitingOutput<OutputStream>();
  if (!(last instanceof WaitingOutput)) {
    if (last.event !== "command_output") return undefined;
    hold(output, last);
  }
  hold(output, next);
  return output;
}

function hold(output: WaitingOutput<OutputStream>, { data: { chunk, stream } }: CommandOutput): void {
  output.add(`${chunk}\n`, stream);
}

function encodeWaiting(waiting: Waiting): string {
  return waiting instanceof WaitingOutput ? waiting.read().map(encodePiece).join("") : encodeLine(waiting);
}

/** Encodes one event for each line. */
function encodePiece({ stream, text }: OutputPiece<OutputStream>): string {
  const whole = text.startsWith(omission) ? text.slice(1) : text;
  return whole
    .slice(0, -1)
    .split("\n")
    .map((chunk) => encodeLine({ event: "command_output", data: { stream, chunk } } satisfies CommandOutput))
    .join("");
}
