import type { RpcClient, RpcEvent } from "../../src/index.ts";
import { startClient } from "./clients.ts";

/** A client of the puppet, which writes what it is told to and tells what it receives. */
export class Puppet {
  readonly client: RpcClient;
  readonly #events: AsyncIterableIterator<RpcEvent, undefined>;

  constructor(client: RpcClient) {
    this.client = client;
    this.#events = client.events();
  }

  /** Makes the agent write these records. */
  async write(...records: object[]): Promise<void> {
    await this.client.prompt(JSON.stringify(records));
  }

  /** The next record that the agent received. */
  async received(): Promise<unknown> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) throw new Error("The agent is gone.");
      if ((value.type as string) === "received") return (value as unknown as { record: unknown }).record;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.stop();
  }
}

export async function startPuppet(): Promise<Puppet> {
  return new Puppet(await startClient("puppet"));
}
