import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { serveRpc } from "../../src/modes/rpc/rpc-mode.ts";
import { openWritable } from "../../src/modes/stdout.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createAgentSession } from "../../src/session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { findViolations } from "./outgoing.ts";
import type { WireRecord } from "./wire-record.ts";
import type { Workspace } from "./workspace.ts";

/** A definition of a host model. */
export const hostModel = { id: "x", name: "X", contextWindow: 100_000, maxTokens: 4000, reasoning: true };

/** A program that speaks RPC with a session of this process. */
export class Host {
  readonly session: AgentSession;
  readonly records: WireRecord[] = [];
  readonly ended: Promise<void>;
  readonly #input = new PassThrough();
  readonly #waiting = new Set<() => void>();
  #commandCount = 0;
  #callsTaken = 0;

  constructor(session: AgentSession) {
    this.session = session;
    const output = new PassThrough();
    let held = "";
    output.setEncoding("utf8").on("data", (text: string) => {
      const lines = (held + text).split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) this.#add(JSON.parse(line) as WireRecord);
    });
    const connection = { streamMode: "deltas", ready: false, warmUp: false } as const;
    this.ended = serveRpc(session, { ...connection, input: this.#input, output: openWritable(output) });
  }

  send(...records: object[]): void {
    for (const record of records) this.#input.write(`${JSON.stringify(record)}\n`);
  }

  /** Sends a command and resolves with its response. */
  request(command: { type: string; [field: string]: unknown }): Promise<WireRecord> {
    this.#commandCount += 1;
    const id = this.#commandCount;
    this.send({ id, ...command });
    return this.waitFor((record) => record.type === "response" && record.id === id);
  }

  /** Sends a command that must succeed and resolves with its data. */
  async ask(command: { type: string; [field: string]: unknown }): Promise<Record<string, unknown>> {
    const response = await this.request(command);
    expect(response).toMatchObject({ success: true });
    return response.data ?? {};
  }

  /** Starts a run, which `settled` waits for. */
  async prompt(message = "Go"): Promise<void> {
    await this.ask({ type: "prompt", message });
  }

  /** The next call of a model that was not returned before. */
  async nextCall(): Promise<WireRecord> {
    this.#callsTaken += 1;
    const number = this.#callsTaken;
    await this.waitFor(() => this.of("host_model_call").length >= number);
    return this.of("host_model_call")[number - 1] as WireRecord;
  }

  /** Answers a call with steps and a result. */
  answer(call: WireRecord, events: object[], result: object = { stopReason: "stop" }): void {
    const { id } = call;
    this.send(...events.map((event) => ({ type: "host_model_event", id, event })), { type: "host_model_result", id, ...result });
  }

  /** Answers a call with a text, as a whole. */
  say(call: WireRecord, text: string, result: object = {}): void {
    this.send({ type: "host_model_result", id: call.id, stopReason: "stop", content: [{ type: "text", text }], ...result });
  }

  /** Resolves when as many runs have settled. */
  async settled(count = 1): Promise<void> {
    await this.waitFor(() => this.of("agent_settled").length >= count);
  }

  of(type: string): WireRecord[] {
    return this.records.filter((record) => record.type === type);
  }

  /** The last answer of the model. */
  get lastAnswer(): WireRecord["message"] {
    return this.of("message_end").findLast(({ message }) => (message as { role: string }).role === "assistant")?.message;
  }

  async waitFor(isWanted: (record: WireRecord) => boolean): Promise<WireRecord> {
    for (;;) {
      const found = this.records.find(isWanted);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Closes the input. Resolves when the session has ended. */
  end(): Promise<void> {
    this.#input.end();
    return this.ended;
  }

  #add(record: WireRecord): void {
    expect(findViolations(record)).toEqual([]);
    this.records.push(record);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** A session that a host serves with its models, chosen before they are registered. */
export async function startHost(
  workspace: Workspace,
  options: CreateAgentSessionOptions = {},
  models: readonly object[] = [hostModel],
): Promise<Host> {
  const session = await createAgentSession({
    ...{ cwd: workspace.cwd, agentDir: workspace.agentDir, model: "host/x", retry: { baseDelayMs: 0 } },
    ...{ awaitsHostModels: true, autoStart: false },
    ...options,
  });
  const host = new Host(session);
  onTestFinished(() => host.end());
  if (models.length > 0) await host.ask({ type: "set_host_models", models });
  return host;
}
