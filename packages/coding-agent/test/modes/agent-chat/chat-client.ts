import type { ScriptedAnswer } from "@pikit/ai";
import { createScriptedModel } from "@pikit/ai";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { expect, onTestFinished } from "vitest";
import type { BaseOptions } from "../../../src/modes/agent-chat/chat-options.ts";
import { ChatOutput } from "../../../src/modes/agent-chat/chat-output.ts";
import { type ChatEvent, type ChatParams, type EventName, events } from "../../../src/modes/agent-chat/protocol.ts";
import { AgentChatServer } from "../../../src/modes/agent-chat/server.ts";
import type { Workspace } from "../../helpers/workspace.ts";

type EventOf<N extends EventName> = Extract<ChatEvent, { event: N }>;

/** What the protocol's own schemas object to; empty when nothing. */
export function findViolations({ event, data }: ChatEvent): string[] {
  if (!Object.hasOwn(events, event)) return [`unknown event ${event}`];
  const schema: TSchema = { ...events[event], additionalProperties: false };
  return [...Value.Errors(schema, data)].map(({ path, message }) => `${event}${path}: ${message}`);
}

/** A client of the server in this process, with everything that was sent (`→`) and told (`←`). */
export class ChatClient {
  readonly server: AgentChatServer;
  readonly output: ChatOutput;
  readonly events: ChatEvent[] = [];
  readonly transcript: string[] = [];
  readonly violations: string[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(base: BaseOptions) {
    this.output = new ChatOutput({ write: (text) => this.#read(text) });
    this.server = new AgentChatServer(base, this.output);
  }

  /** Sends a request. */
  send(method: string, params?: object): void {
    this.sendText(JSON.stringify(params === undefined ? { method } : { method, params }));
  }

  /** Sends a line. */
  sendText(line: string): void {
    this.transcript.push(`→ ${line}`);
    this.server.handleLine(line);
  }

  /** Sends a message and resolves with what is told from then on, up to the end of the chat. */
  async chat(params: ChatParams): Promise<ChatEvent[]> {
    const from = this.events.length;
    this.send("agent_chat", params);
    await this.waitForEnd(from);
    return this.events.slice(from);
  }

  /** Resolves with the end of a chat: `done`, or the error of one that failed or was refused. */
  waitForEnd(from = 0): Promise<ChatEvent> {
    return this.#find(({ event, data }) => event === "done" || (event === "error" && isEnd(data)), from);
  }

  /** The first event of that name from index `from` on. */
  waitFor<N extends EventName>(name: N, from = 0): Promise<EventOf<N>> {
    return this.#find(({ event }) => event === name, from) as Promise<EventOf<N>>;
  }

  /** The data of the events of that name so far. */
  all<N extends EventName>(name: N): EventOf<N>["data"][] {
    return this.events.flatMap((event) => (event.event === name ? [event.data as EventOf<N>["data"]] : []));
  }

  async #find(isMatch: (event: ChatEvent) => boolean, from: number): Promise<ChatEvent> {
    for (let index = from; ; index += 1) {
      while (index >= this.events.length) await this.#changed.promise;
      const event = this.events[index] as ChatEvent;
      if (isMatch(event)) return event;
    }
  }

  #read(text: string): undefined {
    for (const line of text.split("\n").slice(0, -1)) {
      const event = JSON.parse(line) as ChatEvent;
      this.transcript.push(`← ${line}`);
      this.events.push(event);
      this.violations.push(...findViolations(event));
    }
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

function isEnd({ code, ends_chat }: EventOf<"error">["data"]): boolean {
  return ends_chat || code === "bad_request" || code === "parse";
}

/** A client in the workspace; its server is closed when the test is over, and what it told must be what the protocol says. */
export function connectChat(workspace: Workspace, base: Partial<BaseOptions> = {}): ChatClient {
  const client = new ChatClient({ cwd: workspace.cwd, agentDir: workspace.agentDir, ...base });
  onTestFinished(async () => {
    await client.server.close();
    await client.output.flush();
    expect(client.violations).toEqual([]);
  });
  return client;
}

/** The same with a model that plays these answers, each at a price of 10 and 5 tokens. */
export function playChat(workspace: Workspace, answers: readonly ScriptedAnswer[], base: Partial<BaseOptions> = {}): ChatClient {
  return connectChat(workspace, { model: priced(answers), ...base });
}

export function priced(answers: readonly ScriptedAnswer[]) {
  return createScriptedModel({ script: answers.map((answer) => ({ usage: { input: 10, output: 5 }, ...answer })) });
}

/** An answer that calls tools. */
export function calls(...toolCalls: [name: string, args: Record<string, unknown>][]): ScriptedAnswer {
  return { toolCalls: toolCalls.map(([name, args]) => ({ name, arguments: args })) };
}
