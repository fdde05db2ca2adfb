import type { Context, Message, TextContent, Tool } from "@pikit/ai";

/** A message of related programs with the system prompt and tools. The first one of a conversation has all of them, later ones change them. */
interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  /** Named parts of the prompt after `content`; null removes a part. */
  sections?: Record<string, string | null>;
  toolsAdded?: Tool[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}

/** The messages of a request, with or without system messages. */
type Transcript = readonly (Message | SystemMessage)[];

/** A request as extensions build it or get it: the prompt and the tools are fields, or system messages, or both. */
export interface FamilyContext {
  systemPrompt?: string;
  tools?: Tool[];
  messages: Transcript;
}

/** The first system message of requests that extensions get: their messages have none, because older extensions do not know that role. */
const leading = new WeakMap<object, SystemMessage>();

/** Converts a request for an extension. */
export function toFamilyContext({ systemPrompt, tools, messages }: Context): FamilyContext {
  const copy = [...messages];
  const system = createInitialSystemMessage(systemPrompt, tools);
  if (system) leading.set(copy, system);
  return { ...(systemPrompt === undefined ? {} : { systemPrompt }), ...(tools ? { tools } : {}), messages: copy };
}

/** Converts a request of an extension. */
export function toContext(context: FamilyContext): Context {
  const { systemPrompt, tools, messages } = context;
  const system = getCurrentSystemMessage(messages);
  const prompt = system ? getSystemMessageText(system) : "";
  return {
    systemPrompt: prompt || (systemPrompt ?? ""),
    tools: system?.toolsAdded ?? tools ?? [],
    messages: messages.filter((message): message is Message => message.role !== "system"),
  };
}

/** The first system message of a prompt and tools; undefined if there is neither. */
function createInitialSystemMessage(systemPrompt?: string, tools?: readonly Tool[]): SystemMessage | undefined {
  if (!systemPrompt && !tools?.length) return undefined;
  return {
    role: "system",
    content: systemPrompt ?? "",
    ...(tools?.length ? { toolsAdded: tools.map(toToolDeclaration) } : {}),
    timestamp: Date.now(),
  };
}

/** The request with its prompt and tools in the first message. */
function normalizeContext({ systemPrompt, tools, messages }: FamilyContext): { messages: (Message | SystemMessage)[] } {
  const system = createInitialSystemMessage(systemPrompt, tools);
  return { messages: system ? [system, ...messages] : [...messages] };
}

function getInitialSystemMessage(messages: Transcript): SystemMessage | undefined {
  const [first] = messages;
  return first?.role === "system" ? first : leading.get(messages);
}

function withoutInitialSystemMessage(messages: Transcript): (Message | SystemMessage)[] {
  return messages[0]?.role === "system" ? messages.slice(1) : [...messages];
}

/** One system message with the state after all of them; undefined if there is none. */
function getCurrentSystemMessage(messages: Transcript): SystemMessage | undefined {
  const all = allSystemMessages(messages);
  const [first] = all;
  if (!first) return undefined;
  const sections: Record<string, string | null> = {};
  for (const message of all) Object.assign(sections, message.sections);
  const kept = Object.fromEntries(Object.entries(sections).filter(([, text]) => text !== null));
  const tools = getCurrentTools(messages);
  return {
    role: "system",
    content: all
      .map(({ content }) => contentText(content))
      .filter((text) => text !== "")
      .join("\n\n"),
    ...(Object.keys(kept).length > 0 ? { sections: kept } : {}),
    ...(tools.length > 0 ? { toolsAdded: tools } : {}),
    timestamp: first.timestamp,
  };
}

function getCurrentSystemPrompt(messages: Transcript): string {
  const system = getCurrentSystemMessage(messages);
  return system ? getSystemMessageText(system) : "";
}

/** The tools after all system messages. */
function getCurrentTools(messages: Transcript): Tool[] {
  const tools = new Map<string, Tool>();
  for (const { toolsAdded = [], toolsRemoved = [] } of allSystemMessages(messages)) {
    for (const { name } of toolsRemoved) tools.delete(name);
    for (const tool of toolsAdded) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

/** The request with one system message, its first. */
function collapseSystemMessages({ messages }: Pick<FamilyContext, "messages">): { messages: (Message | SystemMessage)[] } {
  const system = getCurrentSystemMessage(messages);
  const others = messages.filter(({ role }) => role !== "system");
  return { messages: system ? [system, ...others] : others };
}

/** The complete prompt of a system message. */
function getSystemMessageText({ content, sections = {} }: SystemMessage): string {
  const texts = [contentText(content), ...Object.values(sections).map((text) => text ?? "")];
  return texts.filter((text) => text !== "").join("\n\n");
}

/** The texts of message content. */
function contentText(content: string | readonly { type: string; text?: string }[], separator = "\n"): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join(separator);
}

/** The part of a tool that models see, as plain JSON. */
function toToolDeclaration({ name, description, parameters }: Tool): Tool {
  return { name, description, parameters: JSON.parse(JSON.stringify(parameters)) as Tool["parameters"] };
}

function allSystemMessages(messages: Transcript): SystemMessage[] {
  const inside = messages.filter((message): message is SystemMessage => message.role === "system");
  const first = messages[0]?.role === "system" ? undefined : leading.get(messages);
  return first ? [first, ...inside] : inside;
}

/** The functions about system messages. */
export const transcriptFunctions: Record<string, unknown> = {
  ...{
    createInitialSystemMessage,
    normalizeContext,
    getInitialSystemMessage,
    withoutInitialSystemMessage,
    getCurrentSystemMessage,
  },
  ...{ getCurrentSystemPrompt, getCurrentTools, collapseSystemMessages, getSystemMessageText, contentText, toToolDeclaration },
};
