import { RpcConnectionError, RpcRunError } from "./errors.ts";
import type { EventQueue } from "./event-queue.ts";
import type { AgentMessage, RpcEvent } from "./protocol-types.ts";

export interface TextSource {
  /** Starts to collect events. */
  listen: () => EventQueue<RpcEvent>;
  /** Starts the run. Calls `onSettled` in order with the events; resolves with its messages. */
  run: (onSettled: () => void) => Promise<AgentMessage[]>;
  abort: () => Promise<void>;
}

const missedText =
  "Some of the text was missed while the connection to the server was down. The run continues; get_messages returns all of its text.";

/** Separates two texts of a run. */
const emptyLine = "\n\n";

/** Yields the text of a run's answers; see `RpcClient.text`. */
export async function* streamText({ listen, run, abort }: TextSource): AsyncGenerator<string, void, undefined> {
  const events = listen();
  let isSettled = false;
  const settle = (error?: Error) => {
    isSettled = true;
    events.end(error);
  };
  const messages = run(settle);
  // A refused prompt ends the iteration with its error.
  messages.catch(settle);
  let hasText = false;
  let isBetweenTexts = false;
  try {
    for await (const event of events) {
      if (event.type === "resync" && event.reason !== "start") {
        isSettled = true;
        throw new RpcConnectionError("events_missed", missedText);
      }
      if (event.type !== "message_update") continue;
      const step = event.assistantMessageEvent;
      if (step.type === "text_start") isBetweenTexts = hasText;
      if (step.type !== "text_delta" || step.delta === "") continue;
      yield isBetweenTexts ? emptyLine + step.delta : step.delta;
      hasText = true;
      isBetweenTexts = false;
    }
    throwIfFailed(await messages);
  } finally {
    await events.return();
    // The reader has left the loop early. `abort` fails only if the agent is gone. A run whose text was missed is not the reader's decision.
    if (!isSettled) await abort().catch(() => undefined);
  }
}

function throwIfFailed(messages: readonly AgentMessage[]): void {
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.stopReason === "error") throw new RpcRunError(last.errorMessage ?? "no reason was given");
}
