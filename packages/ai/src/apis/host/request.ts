import type { ApiRequest } from "../../api-adapter.ts";
import { prepareHistory } from "../../history.ts";
import type { Message } from "../../types.ts";
import type { HostModelOptions, HostModelRequest } from "./frames.ts";

/** Creates the request for a host. It has no key, header or function. */
export function createRequest({ model, context, options }: ApiRequest): HostModelRequest {
  const { systemPrompt, messages, tools = [] } = context;
  return {
    modelId: model.id,
    context: {
      ...(systemPrompt ? { systemPrompt } : {}),
      messages: prepareHistory(messages, model).map(toSent),
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    },
    options: toSentOptions(options, { canThink: model.reasoning, hasTools: tools.length > 0 }),
  };
}

/** Leaves out what no model reads: data for user interfaces. */
function toSent(message: Message): Message {
  const { role, content, timestamp } = message;
  if (role === "user") return { role, content, timestamp };
  if (role === "assistant") return message;
  const { toolCallId, toolName, isError } = message;
  return { role, toolCallId, toolName, content: message.content, isError, timestamp };
}

function toSentOptions(
  options: ApiRequest["options"],
  { canThink, hasTools }: { canThink: boolean; hasTools: boolean },
): HostModelOptions {
  const { maxTokens, temperature, reasoning, cacheRetention, sessionId, toolChoice } = options;
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(canThink && reasoning !== undefined && { reasoning }),
    ...(cacheRetention !== undefined && { cacheRetention }),
    ...(sessionId !== undefined && { sessionId }),
    ...(hasTools && toolChoice !== undefined && { toolChoice }),
  };
}
