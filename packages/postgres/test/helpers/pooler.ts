import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { targetOf, throughPort } from "./target.ts";

export interface PoolerOptions {
  /** `transaction`: a client has a connection to the server for one transaction. `session`: until it leaves. Default: `transaction`. */
  mode?: "transaction" | "session";
  /** Which free connection to the server is used for the next transaction: the one that was used last, or first. Default: `last`. */
  next?: "last" | "first";
  /** Whether clients see the process ids of the server, and not ids of the pooler. Default: false. */
  showsServerIds?: boolean;
}

/** A connection to the server. */
interface Backend {
  socket: Socket;
  /** The messages with which the server greeted, for clients. */
  greeting: Buffer[];
  client: Client | undefined;
}

interface Client {
  socket: Socket;
  backend: Backend | undefined;
  /** Messages that wait for a connection to the server. */
  waiting: Buffer[];
  /** The number of answers that end with ReadyForQuery and have not come. */
  open: number;
}

/**
 * Starts a connection pooler in front of the server of an address, which is closed after the test, and returns its address. It speaks as much of
 * the protocol as clients need that send no password.
 */
export async function startPooler(address: string, options: PoolerOptions = {}): Promise<string> {
  const pooler = new Pooler(address, options);
  onTestFinished(() => pooler.close());
  return throughPort(address, await pooler.listen());
}

class Pooler {
  readonly #address: string;
  readonly #options: PoolerOptions;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #clients = new Set<Client>();
  readonly #backends = new Set<Backend>();
  readonly #free: Backend[] = [];
  #startup: Buffer | undefined;

  constructor(address: string, options: PoolerOptions) {
    this.#address = address;
    this.#options = options;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const { socket } of [...this.#clients, ...this.#backends]) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, backend: undefined, waiting: [], open: 0 };
    this.#clients.add(client);
    const split = splitter((message) => this.#fromClient(client, message), true);
    socket.on("data", split);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#clients.delete(client);
      if (client.backend) this.#close(client.backend);
    });
  }

  #fromClient(client: Client, message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    if (type === "\0") {
      // The first message has no type. Backends begin with the same one: there is one user and one database.
      this.#startup = message.subarray(1);
      this.#withBackend(client);
    } else if (type === "X") {
      client.socket.end();
    } else {
      if ("QSF".includes(type)) client.open += 1;
      client.waiting.push(message);
      if (client.backend) this.#send(client, client.backend);
      else this.#withBackend(client);
    }
  }

  #send(client: Client, { socket }: Backend): void {
    for (const message of client.waiting.splice(0)) socket.write(message);
  }

  /** Gives a free connection to the server to a client, or a new one. */
  #withBackend(client: Client): void {
    const backend = this.#options.next === "first" ? this.#free.shift() : this.#free.pop();
    if (backend) this.#lend(backend, client);
    else this.#connect(client);
  }

  #lend(backend: Backend, client: Client): void {
    client.backend = backend;
    backend.client = client;
    if (client.waiting.length > 0) this.#send(client, backend);
    else this.#greet(client, backend);
  }

  #greet(client: Client, backend: Backend): void {
    for (const message of backend.greeting) {
      const shown = Buffer.from(message);
      if (message[0] === 0x4b && !this.#options.showsServerIds) shown.writeInt32BE(1_000_000 + (client.socket.remotePort ?? 0), 5);
      client.socket.write(shown);
    }
    this.#release(client, backend);
  }

  #release(client: Client, backend: Backend): void {
    if (this.#options.mode === "session") return;
    client.backend = undefined;
    backend.client = undefined;
    this.#free.push(backend);
  }

  #connect(client: Client): void {
    const socket = connect(targetOf(this.#address));
    const backend: Backend = { socket, greeting: [], client };
    this.#backends.add(backend);
    client.backend = backend;
    let isReady = false;
    socket.write(this.#startup ?? Buffer.alloc(0));
    const split = splitter((message) => {
      if (isReady) {
        this.#fromServer(backend, message);
        return;
      }
      backend.greeting.push(message);
      isReady = message[0] === 0x5a;
      if (isReady) this.#lend(backend, client);
    }, false);
    socket.on("data", split);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#close(backend);
      backend.client?.socket.destroy();
    });
  }

  #fromServer(backend: Backend, message: Buffer): void {
    const { client } = backend;
    // Like poolers do: notifications for nobody are dropped.
    if (!client) return;
    client.socket.write(message);
    if (message[0] !== 0x5a) return;
    client.open -= 1;
    if (client.open === 0 && message[5] === 0x49) this.#release(client, backend);
  }

  #close(backend: Backend): void {
    this.#backends.delete(backend);
    const place = this.#free.indexOf(backend);
    if (place >= 0) this.#free.splice(place, 1);
    backend.socket.destroy();
  }
}

/** Splits a stream into messages: a letter, and the length of the rest. A client's first message has no letter; it is given a zero. */
function splitter(onMessage: (message: Buffer) => void, beginsWithoutType: boolean): (chunk: Buffer) => void {
  let held = beginsWithoutType ? Buffer.from([0]) : Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 5) {
      const length = 1 + held.readInt32BE(1);
      if (held.length < length) return;
      onMessage(held.subarray(0, length));
      held = held.subarray(length);
    }
  };
}
