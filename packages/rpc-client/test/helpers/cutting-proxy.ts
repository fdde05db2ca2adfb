import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Pseudo-random numbers from 0 up to 1, always the same ones for a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A way to a server that ends each connection after a random number of bytes, in whatever they are the middle of. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #next: () => number;
  readonly #target: number;
  readonly #mostBytes: number;
  readonly #sockets = new Set<Socket>();
  /** The number of connections that were cut. */
  cuts = 0;
  /** Whether connections are cut. */
  isCutting = true;

  constructor(target: number, seed: number, mostBytes: number) {
    this.#target = target;
    this.#next = randomNumbers(seed);
    this.#mostBytes = mostBytes;
    this.#server = createServer((client) => this.#forward(client));
  }

  /** @param mostBytes - Bytes of a connection, in both directions, after which it is cut at the latest. */
  static async start(target: string, seed: number, mostBytes: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(Number(new URL(target).port), seed, mostBytes);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.#server.close();
      for (const socket of proxy.#sockets) socket.destroy();
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #forward(client: Socket): void {
    const server = connect(this.#target, "127.0.0.1");
    let left = Math.floor(this.#next() * this.#mostBytes);
    const isReset = this.#next() < 0.5;
    const pass = (from: Socket, to: Socket) => {
      this.#sockets.add(from);
      from.on("data", (chunk: Buffer) => {
        if (from.destroyed || to.destroyed) return;
        if (!this.isCutting || chunk.length <= left) {
          if (this.isCutting) left -= chunk.length;
          to.write(chunk);
          return;
        }
        this.cuts += 1;
        const end = () => {
          for (const socket of [client, server]) {
            if (isReset) socket.resetAndDestroy();
            else socket.destroy();
          }
        };
        // The part before the cut arrives.
        to.write(chunk.subarray(0, left), end);
        from.pause();
      });
      from.on("error", () => to.destroy());
      from.on("end", () => to.end());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    };
    pass(client, server);
    pass(server, client);
  }
}
