import type { ApiRequest } from "../api-adapter.ts";
import { KeptHistories } from "../history/kept-histories.ts";
import type { ConvertedHistory, HistoryWire } from "../history/kept-history.ts";
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
  const history = conversations.convert(options.conversation, context.messages, wireOf(request));
  const body = createBody(request, history);
  return { body, content: RequestContent.join(body, history.items, history.kept) };
}
