import { Breather } from "../../exec/breather.ts";
import { type CommandName, commandDispatch, findCommand } from "../../protocol/dispatch.ts";
import type { RpcResponse } from "../../protocol/frames.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { untilAborted } from "../../until-aborted.ts";
import type { RecordWriter } from "../record-writer.ts";
import { type HandlerContext, handlers } from "./handlers.ts";
import type { HostTools } from "./host-tools.ts";
import { RpcUserInterface } from "./rpc-user-interface.ts";

/** A command that has been read and is on its way. */
interface Request {
  command: CommandName;
  record: Record<string, unknown>;
  controller: AbortController;
  /** Resolves when it has been answered. */
  answered: PromiseWithResolvers<void>;
}

/** What an `abort` stops of the commands that came before it. */
const stoppedByAbort: ReadonlySet<CommandName> = new Set<CommandName>(["prompt", "abort_and_prompt", "compact"]);

/** Refusals of these are told a second way, for clients of the first protocol, which read no responses. */
const commandsOfFirstProtocol: ReadonlySet<string> = new Set(["prompt", "abort"]);

/** What begins a run, or goes into one: it must not be overtaken by what extensions do first. */
const promptCommands: ReadonlySet<CommandName> = new Set<CommandName>(["prompt", "steer", "follow_up", "abort_and_prompt"]);

/** Reads commands, runs each in its lane, and answers each exactly once. */
export class RpcServer {
  readonly #session: AgentSession;
  readonly #output: RecordWriter;
  readonly #user: RpcUserInterface;
  /** Loaded when the client lends the first tools. */
  #hostTools: HostTools | undefined;
  #isInputOver = false;
  /** The extensions have been told that the session begins. */
  readonly #started: Promise<void>;
  /** The ordered commands, one after another. */
  #lane: Promise<void>;
  /** Commands that have not been answered yet, control commands left out. */
  readonly #pending = new Set<Request>();
  readonly #working = new Set<Promise<void>>();
  /** Ordered commands may work without a pause for as long as there are any; an abort among them has to be read meanwhile. */
  readonly #breather = new Breather();

  /**
   * Serves the session, and starts it. Commands wait until its extensions are done with that; but while one asks the user, which may take for ever, only
   * prompts wait for the answer. A client that waits for the answer to its first command must not have to answer a dialog first.
   */
  constructor(session: AgentSession, output: RecordWriter) {
    this.#session = session;
    this.#output = output;
    this.#user = new RpcUserInterface((frame) => output.send(frame));
    session.user.connect(this.#user);
    session.subscribe((event) => output.sendEvent(event));
    this.#started = session.start();
    this.#lane = Promise.race([this.#started, this.#user.hasAsked]);
  }

  /** Handles one line of input. */
  handleLine(line: string): void {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch (error) {
      this.refuseLine((error as Error).message);
      return;
    }
    if (typeof record === "object" && record !== null && !Array.isArray(record))
      this.#handleRecord(record as Record<string, unknown>);
    else this.refuseLine("expected a JSON object");
  }

  /** Answers a line that is no command at all. */
  refuseLine(reason: string): void {
    const error = `Failed to parse command: ${reason}`;
    this.#output.send({ type: "response", command: "parse", success: false, error });
    this.#output.send({ type: "error", error });
  }

  /** The client sends nothing any more: what waits for its answer gets none. */
  endInput(): void {
    this.#isInputOver = true;
    this.#user.disconnect();
    this.#hostTools?.close();
  }

  /** Resolves when every command so far has been begun, and all but those that go on beside the lane have been answered. */
  async drainLane(): Promise<void> {
    await this.#lane;
  }

  /** Resolves when every command that has been begun is answered. */
  async settle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #handleRecord(record: Record<string, unknown>): void {
    const { type } = record;
    const command = typeof type === "string" ? findCommand(type) : undefined;
    if (type === "extension_ui_response") this.#user.handleFrame(record);
    else if (type === "host_tool_update" || type === "host_tool_result") this.#hostTools?.handleFrame(record);
    else if (command !== undefined) this.#begin(command, record);
    else if (typeof type === "string") this.#refuse(record, type, `Unknown command: ${type}`);
    else this.#refuse(record, "unknown", 'Field "type" must be a string that names a command');
  }

  #begin(command: CommandName, record: Record<string, unknown>): void {
    const request: Request = { command, record, controller: new AbortController(), answered: Promise.withResolvers() };
    if (command === "abort") {
      const stopped = this.#abortEarlier((earlier) => stoppedByAbort.has(earlier.command));
      void this.#session.abort();
      // Behind what it stops, so that a prompt that was aborted is answered before its abort is; not behind the rest, which may be much.
      const work = this.#track(this.#work(request, stopped));
      // What comes later finds the run settled.
      this.#lane = this.#lane.then(() => work);
    } else if (commandDispatch[command].lane === "control") {
      if (command === "abort_bash") void this.#abortEarlier((earlier) => earlier.command === "bash");
      void this.#track(this.#work(request, Promise.resolve()));
    } else {
      this.#pending.add(request);
      this.#lane = this.#lane.then(async () => {
        if (this.#breather.isDue) await this.#breather.breathe();
        const left = Promise.withResolvers<void>();
        const work = this.#track(this.#work(request, Promise.resolve(), left.resolve));
        await Promise.race([work, left.promise]);
      });
    }
  }

  #track(work: Promise<void>): Promise<void> {
    this.#working.add(work);
    return work.finally(() => this.#working.delete(work));
  }

  /** Aborts commands that have not been answered, also those that have not begun. Resolves when they are answered. */
  async #abortEarlier(isMeant: (request: Request) => boolean): Promise<void> {
    const meant = [...this.#pending].filter(isMeant);
    for (const { controller } of meant) controller.abort();
    await Promise.all(meant.map(({ answered }) => answered.promise));
  }

  async #work(request: Request, after: Promise<void>, leaveLane: () => void = () => {}): Promise<void> {
    const { command, record, controller } = request;
    try {
      const params = commandDispatch[command].hasParams ? await (await import("./read-params.ts")).readParams(command, record) : {};
      await after;
      if (promptCommands.has(command)) await untilAborted(this.#started, controller.signal).catch(ignoreAbort);
      const context: HandlerContext = {
        session: this.#session,
        output: this.#output,
        hostTools: () => this.#loadHostTools(),
        leaveLane,
        request: record,
        signal: controller.signal,
      };
      const data = await runHandler(command, context, params);
      this.#respond(record, data === undefined ? { success: true } : { success: true, data });
    } catch (error) {
      this.#refuse(record, String(record.type), error instanceof Error ? error.message : String(error));
    } finally {
      this.#pending.delete(request);
      request.answered.resolve();
    }
  }

  async #loadHostTools(): Promise<HostTools> {
    const { HostTools } = await import("./host-tools.ts");
    this.#hostTools ??= new HostTools((frame) => this.#output.send(frame));
    if (this.#isInputOver) this.#hostTools.close();
    return this.#hostTools;
  }

  #refuse(record: Record<string, unknown>, command: string, error: string): void {
    this.#respond({ ...record, type: command }, { success: false, error });
    if (!Object.hasOwn(record, "id") && commandsOfFirstProtocol.has(command)) this.#output.send({ type: "error", error });
  }

  /** The response names the command as it was sent and carries its id, whatever value that has. */
  #respond(record: Record<string, unknown>, outcome: { success: true; data?: unknown } | { success: false; error: string }): void {
    const id = Object.hasOwn(record, "id") ? { id: record.id } : {};
    const response: RpcResponse = { ...id, type: "response", command: String(record.type), ...outcome };
    this.#output.send(response);
  }
}

/** The prompt is answered all the same, and its run ends aborted. */
function ignoreAbort(): void {}

/** The parameters have been checked against the table that the handler's type comes from. */
function runHandler(command: CommandName, context: HandlerContext, params: Record<string, unknown>): unknown {
  const handler = handlers[command] as (context: HandlerContext, params: Record<string, unknown>) => unknown;
  return handler(context, params);
}
