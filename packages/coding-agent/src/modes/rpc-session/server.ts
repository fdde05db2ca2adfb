import { breathe } from "../../exec/breathe.ts";
import { beginWork } from "../../process-work.ts";
import { type CommandName, commandDispatch, findCommand } from "../../protocol/dispatch.ts";
import type { RpcResponse } from "../../protocol/frames.ts";
import type { PromptRun } from "../../run/run-controller.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { untilAborted } from "../../until-aborted.ts";
import type { HandlerContext } from "./handler.ts";
import { handlers } from "./handlers.ts";
import type { HostModels } from "./host-models.ts";
import type { HostTools } from "./host-tools.ts";
import type { RpcOutput, RpcPeer } from "./peer.ts";
import type { PromptResults } from "./prompt-results.ts";
import { RpcUserInterface } from "./rpc-user-interface.ts";

/** A command that has been received. */
interface Request {
  command: CommandName;
  peer: RpcPeer;
  record: Record<string, unknown>;
  controller: AbortController;
  /** The run of an accepted prompt. */
  run?: PromptRun;
  /** Resolves when the response has been sent. */
  answered: PromiseWithResolvers<void>;
}

type Sent = Pick<Request, "record" | "peer">;

/** The commands that a later `abort` stops. */
const stoppedByAbort: ReadonlySet<CommandName> = new Set<CommandName>(["prompt", "abort_and_prompt", "compact"]);

/** For these commands an error is also sent as an `error` event, because clients of the first protocol do not read responses. */
const commandsOfFirstProtocol: ReadonlySet<string> = new Set(["prompt", "abort"]);

/** The commands that start a run or add to one. They wait until the extensions have handled the start of the session. */
const promptCommands: ReadonlySet<CommandName> = new Set<CommandName>(["prompt", "steer", "follow_up", "abort_and_prompt"]);

/**
 * Runs the commands of any number of clients on one session, each command in its lane, and sends exactly one response to each to the client
 * that sent it. Events and questions go to `output`, for all clients.
 */
export class RpcServer {
  readonly #session: AgentSession;
  readonly #output: RpcOutput;
  readonly #user: RpcUserInterface;
  /** Loaded when the client defines its first tools. */
  #hostTools: HostTools | undefined;
  /** Loaded when the client defines its first models. */
  #hostModels: HostModels | undefined;
  /** Whether prompts with an `id` get a `prompt_result`. */
  readonly #sendsResults: boolean;
  /** Loaded with the first of them. */
  #promptResults: PromptResults | undefined;
  #isInputOver = false;
  /** Resolves when the extensions have handled the start of the session. */
  readonly #started: Promise<void>;
  /** Resolves after the last ordered command; each new one is appended. */
  #lane: Promise<void>;
  /** Commands without a response yet, except control commands. */
  readonly #pending = new Set<Request>();
  readonly #working = new Set<Promise<void>>();

  /**
   * Serves and starts the session. Commands wait until the extensions have handled the start. When an extension opens a dialog meanwhile, only
   * prompts continue to wait: a client that waits for its first response must not have to answer a dialog first.
   *
   * @param options - `promptResults`: whether to send `prompt_result` and `session_settled`. Default false.
   */
  constructor(session: AgentSession, output: RpcOutput, { promptResults = false } = {}) {
    this.#session = session;
    this.#output = output;
    this.#sendsResults = promptResults;
    this.#user = new RpcUserInterface(output);
    session.user.connect(this.#user);
    session.subscribe((event) => output.sendEvent(event));
    this.#started = session.start();
    this.#lane = Promise.race([this.#started, this.#user.hasAsked]);
  }

  /** Handles one line of a client. */
  handleLine(line: string, peer: RpcPeer): void {
    const record = parseRecord(line);
    if (typeof record === "string") this.refuseLine(record, peer);
    else this.handleRecord(record, peer);
  }

  /** Sends the error for a line that is not a command. */
  refuseLine(reason: string, peer: RpcPeer): void {
    const error = `Failed to parse command: ${reason}`;
    peer.send({ type: "response", command: "parse", success: false, error });
    peer.send({ type: "error", error });
  }

  /** Handles the end of the input: open dialogs get their defaults, and calls of host tools and host models fail. */
  endInput(): void {
    this.#isInputOver = true;
    this.#user.disconnect();
    this.#hostTools?.close();
    this.#hostModels?.close();
  }

  /** Handles the end of one of several clients: the calls of host models that it was answering fail. */
  leave(peer: RpcPeer): void {
    this.#hostModels?.leave(peer);
  }

  /** The frames of the questions without an answer: dialogs, and calls of host tools and host models. The oldest first. */
  openQuestions(): object[] {
    return [...this.#user.openFrames(), ...(this.#hostTools?.openFrames() ?? []), ...(this.#hostModels?.openFrames() ?? [])];
  }

  /** Resolves when all commands so far have started, and have either ended or left the lane. */
  async drainLane(): Promise<void> {
    await this.#lane;
  }

  /** Resolves when all started commands have been answered. */
  async settle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Handles a command, or a frame of a client. */
  handleRecord(record: Record<string, unknown>, peer: RpcPeer): void {
    const { type } = record;
    const command = typeof type === "string" ? findCommand(type) : undefined;
    if (type === "extension_ui_response") this.#user.handleFrame(record);
    else if (type === "host_tool_update" || type === "host_tool_result") this.#hostTools?.handleFrame(record);
    else if (isHostModelFrame(type)) this.#hostModels?.handleFrame(record, peer);
    else if (command !== undefined) this.#begin(command, record, peer);
    else if (typeof type === "string") this.#refuse({ record, peer }, type, `Unknown command: ${type}`);
    else this.#refuse({ record, peer }, "unknown", 'Field "type" must be a string that names a command');
  }

  #begin(command: CommandName, record: Record<string, unknown>, peer: RpcPeer): void {
    const request: Request = { command, peer, record, controller: new AbortController(), answered: Promise.withResolvers() };
    if (command === "abort") {
      const stopped = this.#abortEarlier((earlier) => stoppedByAbort.has(earlier.command));
      void this.#session.abort();
      // Answered after the commands that it stops, but not after other commands, which may take long.
      const work = this.#track(this.#work(request, stopped));
      // Later commands start after the run has settled.
      this.#lane = this.#lane.then(() => work);
    } else if (commandDispatch[command].lane === "control") {
      if (command === "abort_bash") void this.#abortEarlier((earlier) => earlier.command === "bash");
      void this.#track(this.#work(request, Promise.resolve()));
    } else {
      this.#pending.add(request);
      this.#lane = this.#lane.then(async () => {
        // So that an abort behind many commands is read in time.
        await breathe();
        const left = Promise.withResolvers<void>();
        const work = this.#track(this.#work(request, Promise.resolve(), left.resolve));
        await Promise.race([work, left.promise]);
      });
    }
  }

  #track(work: Promise<void>): Promise<void> {
    this.#working.add(work);
    const endWork = beginWork();
    return work.finally(() => {
      this.#working.delete(work);
      endWork();
    });
  }

  /** Aborts pending commands, also those that have not started. Resolves when they have been answered. */
  async #abortEarlier(isTarget: (request: Request) => boolean): Promise<void> {
    const targets = [...this.#pending].filter(isTarget);
    for (const { controller } of targets) controller.abort();
    await Promise.all(targets.map(({ answered }) => answered.promise));
  }

  async #work(request: Request, after: Promise<void>, leaveLane: () => void = () => {}): Promise<void> {
    const { command, peer, record, controller } = request;
    try {
      const params = commandDispatch[command].hasParams ? await (await import("./read-params.ts")).readParams(command, record) : {};
      const results = this.#sendsResults && hasRun(command) && Object.hasOwn(record, "id") ? await this.#loadResults() : undefined;
      await after;
      if (promptCommands.has(command)) await untilAborted(this.#started, controller.signal).catch(ignoreAbort);
      const context: HandlerContext = {
        session: this.#session,
        peer,
        output: this.#output,
        onAccepted: (accepted) => {
          request.run = accepted;
        },
        hostTools: () => this.#loadHostTools(),
        hostModels: () => this.#loadHostModels(),
        leaveLane,
        request: record,
        signal: controller.signal,
      };
      const data = await runHandler(command, context, params);
      this.#respond(request, data === undefined ? { success: true } : { success: true, data });
      if (request.run) results?.add(record.id, request.run);
    } catch (error) {
      this.#refuse(request, String(record.type), error instanceof Error ? error.message : String(error));
    } finally {
      this.#pending.delete(request);
      request.answered.resolve();
    }
  }

  async #loadHostTools(): Promise<HostTools> {
    const { HostTools } = await import("./host-tools.ts");
    this.#hostTools ??= new HostTools(this.#output);
    if (this.#isInputOver) this.#hostTools.close();
    return this.#hostTools;
  }

  async #loadHostModels(): Promise<HostModels> {
    const { HostModels } = await import("./host-models.ts");
    this.#hostModels ??= new HostModels(this.#output);
    if (this.#isInputOver) this.#hostModels.close();
    return this.#hostModels;
  }

  async #loadResults(): Promise<PromptResults> {
    const { PromptResults } = await import("./prompt-results.ts");
    this.#promptResults ??= new PromptResults(this.#session, (frame) => this.#output.send(frame));
    return this.#promptResults;
  }

  #refuse({ record, peer }: Sent, command: string, error: string): void {
    this.#respond({ record: { ...record, type: command }, peer }, { success: false, error });
    if (!Object.hasOwn(record, "id") && commandsOfFirstProtocol.has(command)) peer.send({ type: "error", error });
  }

  /** Sends a response with the command name as the client sent it, and with the client's id of any type. */
  #respond({ record, peer }: Sent, outcome: { success: true; data?: unknown } | { success: false; error: string }): void {
    const id = Object.hasOwn(record, "id") ? { id: record.id } : {};
    const response: RpcResponse = { ...id, type: "response", command: String(record.type), ...outcome };
    peer.send(response);
  }
}

/** Whether a frame is about a call of a host model. */
function isHostModelFrame(type: unknown): boolean {
  return type === "host_model_event" || type === "host_model_result" || type === "host_model_error";
}

/** Whether a record is a frame of a client, which gets no response. */
export function isClientFrame({ type }: Record<string, unknown>): boolean {
  return type === "extension_ui_response" || type === "host_tool_update" || type === "host_tool_result" || isHostModelFrame(type);
}

/** Parses a line of a client. Returns the reason, as text, if it is not a JSON object. */
export function parseRecord(line: string): Record<string, unknown> | string {
  try {
    const record: unknown = JSON.parse(line);
    const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
    return isObject ? (record as Record<string, unknown>) : "expected a JSON object";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a command starts a run that has a result of its own. */
function hasRun(command: CommandName): boolean {
  return command === "prompt" || command === "abort_and_prompt";
}

/** An aborted prompt still gets its response; its run ends as aborted. */
function ignoreAbort(): void {}

/** Calls a handler. The cast is safe: the parameters were checked with the schemas from which the handler types are derived. */
async function runHandler(command: CommandName, context: HandlerContext, params: Record<string, unknown>): Promise<unknown> {
  const all = command in handlers ? handlers : (await import("./param-handlers.ts")).paramHandlers;
  const handler = (all as Partial<Record<CommandName, unknown>>)[command] as (
    context: HandlerContext,
    params: Record<string, unknown>,
  ) => unknown;
  return handler(context, params);
}
