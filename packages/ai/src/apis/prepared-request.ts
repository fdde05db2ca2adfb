import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApiRequest } from "../api-adapter.ts";
import { KeptHistories } from "../history/kept-histories.ts";
import type { ConvertedHistory, HistoryWire } from "../history/kept-history.ts";
import { ownTurn } from "../own-turn.ts";
import type { Message } from "../types.ts";
import { RequestContent } from "./request-content.ts";

/** The conversations of this process. One of a million tokens has some 4 MB, without images. */
const conversations = new KeptHistories(64 * 1024 ** 2, 16 * 1024 ** 2);

/** How an adapter writes its requests. */
export interface RequestWriter<Body extends object, Item> {
  /** How the messages of a request are converted. */
  wireOf(request: ApiRequest): HistoryWire<Item>;
  /** The body. Its list of messages ends with the items of `history`; by default, these are all. */
  createBody(request: ApiRequest, history?: ConvertedHistory<Item>): Body;
}

/** A request that is ready to be sent. */
export interface PreparedRequest<Body> {
  /** The fields. Its list of messages may lack the first ones, which only `content` has. */
  body: Body;
  content: RequestContent;
}

/** Prepares a request: with the body of the adapter, or the replacement that the caller's `onPayload` hook returned. */
export async function prepareRequest<Body extends object, Item>(
  request: ApiRequest,
  { wireOf, createBody }: RequestWriter<Body, Item>,
): Promise<PreparedRequest<Body>> {
  const { model, context, options } = request;
  if (options.onPayload) {
    // The hook gets all messages, and may change them.
    const body = createBody(request);
    const replaced = await options.onPayload(body, model);
    const sent = replaced === undefined ? body : (replaced as Body);
    return { body: sent, content: RequestContent.of(sent) };
  }
  const wire = wireOf(request);
  await convertInSteps(request, wire);
  const history = conversations.convert(options.conversation, context.messages, wire);
  const body = createBody(request, history);
  return { body, content: RequestContent.join(body, history.items, history.kept) };
}

/** Characters of messages that are converted at once: less than 10 ms of work. */
const stepLength = 512 * 1024;

/** Converts the beginning of a long conversation that was not sent before, with pauses in which the process can do other work. */
async function convertInSteps<Item>({ context: { messages }, options }: ApiRequest, wire: HistoryWire<Item>): Promise<void> {
  const { conversation, signal } = options;
  if (conversation === undefined || !conversations.keeps(conversation)) return;
  let length = 0;
  for (let index = conversations.keptCount(conversation); index < messages.length; index += 1) {
    length += lengthOf(messages[index] as Message);
    if (length < stepLength) continue;
    length = 0;
    conversations.convert(conversation, messages.slice(0, index), wire);
    await nextTurn();
    await ownTurn();
    if (signal?.aborted || !conversations.keeps(conversation)) return;
  }
}

function lengthOf({ content }: Message): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, block) => {
    const data = block.type === "image" ? block.data : block.type === "text" ? block.text : undefined;
    // Stored messages may lack a text.
    return sum + (data?.length ?? 0);
  }, 0);
}
