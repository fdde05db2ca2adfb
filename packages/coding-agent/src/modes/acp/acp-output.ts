import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { encodeLine } from "../../protocol/jsonl.ts";
import type { ByteSink } from "../output-sink.ts";

/** The length of one write, in characters; one message may exceed it. */
const batchLength = 64 * 1024;

interface Message {
  method?: string;
  params?: { sessionId?: string; update?: SessionUpdate };
}

/**
 * The only writer of stdout. It writes whole messages in their order, and no run waits for it. While the reader is slow, consecutive chunks of
 * an answer in the queue are joined, and a newer output of a running call replaces an older one, so that the queue is not longer than the texts
 * themselves.
 */
export class AcpOutput {
  readonly #sink: ByteSink;
  #queue: object[] = [];
  #isFlushing = false;
  #isReaderSlow = false;
  #idle = Promise.withResolvers<void>();

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Sends a message. It must not change afterwards. */
  send(message: object): void {
    const last = this.#queue.length - 1;
    const joined = this.#isReaderSlow && last >= 0 ? join(this.#queue[last] as Message, message as Message) : undefined;
    if (joined) this.#queue[last] = joined;
    else this.#queue.push(message);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#idle = Promise.withResolvers();
    // All messages of this turn of the event loop go out in one write.
    setImmediate(() => void this.#flushAll());
  }

  /** Resolves when everything sent so far is written, or cannot be written any more. */
  flush(): Promise<void> {
    return this.#isFlushing ? this.#idle.promise : Promise.resolve();
  }

  async #flushAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const wait = this.#writeBatch();
      this.#isReaderSlow = wait !== undefined;
      if (wait !== undefined) await wait;
    }
    this.#isFlushing = false;
    this.#isReaderSlow = false;
    this.#idle.resolve();
  }

  #writeBatch(): Promise<void> | undefined {
    let batch = "";
    let count = 0;
    while (count < this.#queue.length && batch.length < batchLength) {
      batch += encodeLine(this.#queue[count]);
      count += 1;
    }
    // One copy per batch: `shift` would move the rest for each message.
    this.#queue = this.#queue.slice(count);
    return this.#sink.write(batch);
  }
}

/** One message for two consecutive ones; undefined if they must stay apart. */
function join(first: Message, second: Message): Message | undefined {
  const [before, now] = [first.params?.update, second.params?.update];
  if (!before || !now || first.params?.sessionId !== second.params?.sessionId) return undefined;
  const update =
    joinChunks(before, now) ?? (isOutput(before) && isOutput(now) && before.toolCallId === now.toolCallId ? now : undefined);
  return update && { ...second, params: { ...second.params, update } };
}

function joinChunks(before: SessionUpdate, now: SessionUpdate): SessionUpdate | undefined {
  if (before.sessionUpdate !== "agent_message_chunk" && before.sessionUpdate !== "agent_thought_chunk") return undefined;
  if (now.sessionUpdate !== before.sessionUpdate || now.messageId !== before.messageId) return undefined;
  if (before.content.type !== "text" || now.content.type !== "text") return undefined;
  return { ...now, content: { type: "text", text: before.content.text + now.content.text } };
}

/** Whether an update has only the output of a running call so far. */
function isOutput(update: SessionUpdate): update is Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }> {
  return update.sessionUpdate === "tool_call_update" && Object.keys(update).sort().join() === "content,sessionUpdate,toolCallId";
}
