import type { CommandData, CommandParams } from "../../protocol/commands.ts";
import type { CommandName } from "../../protocol/dispatch.ts";
import type { RpcResponse } from "../../protocol/frames.ts";
import { type Api, ApiError } from "./api.ts";
import type { Connection } from "./connection.ts";
import { randomId } from "./random-id.ts";

/** Maximum tries of a command while the connection breaks again and again. */
const maxTries = 10;
/** Delay before the second try, in milliseconds; each further one is longer by as much. */
const delayMs = 200;

/** Sends commands to a session. */
export class Commands {
  readonly #api: Api;
  readonly #session: string;
  readonly #connection: Pick<Connection, "epoch" | "opened">;

  constructor(api: Api, session: string, connection: Pick<Connection, "epoch" | "opened">) {
    this.#api = api;
    this.#session = session;
    this.#connection = connection;
  }

  /**
   * Sends a command. If the connection breaks before the response, it is sent again with the same key, so that it runs once.
   *
   * @throws {Error} When the command is refused or fails; when the server was restarted before it answered, so that the command may have run.
   */
  async run<N extends CommandName>(name: N, params: CommandParams<N>): Promise<CommandData<N>> {
    const id = randomId();
    const response = await this.#send({ id, type: name, ...params }, id);
    if (response === undefined) throw new Error(`The server answered ${name} without a response.`);
    if (!response.success) throw new Error(response.error);
    return response.data as CommandData<N>;
  }

  /** Sends the answer to a question. */
  async answer(id: string, answer: { value?: string; confirmed?: boolean; cancelled?: boolean }): Promise<void> {
    await this.#send({ type: "extension_ui_response", id, ...answer }, randomId());
  }

  async #send(record: object, key: string): Promise<RpcResponse | undefined> {
    await this.#connection.opened();
    const { epoch } = this.#connection;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#api.send(this.#session, record, key);
      } catch (error) {
        const isBusy = error instanceof ApiError && (error.status === 429 || error.status === 503);
        if ((error instanceof ApiError && !isBusy) || tries === maxTries) throw error;
        // The connection may not have noticed yet that the network is gone.
        await new Promise((resolve) => setTimeout(resolve, delayMs * tries));
        await this.#connection.opened();
        if (this.#connection.epoch !== epoch) {
          throw new Error("The server was restarted before it answered. What you sent may have been done.", { cause: error });
        }
      }
    }
  }
}
