import { connect, type NetConnectOpts, type Socket } from "node:net";

type Direction = "toServer" | "toClient";

/**
 * - `cut`: both sides get a reset.
 * - `stall`: nothing passes any more, not even the end of the connection, so neither side notices that the other one is gone.
 * - `endToServer`, `endToClient`: half of the connection is closed. The other direction works.
 */
export type Fault = "cut" | "stall" | "endToServer" | "endToClient";

/** A fault that comes when so many bytes have passed. */
export interface PlannedFault {
  fault: Fault;
  /** The direction whose bytes are counted. */
  direction: Direction;
  /** The bytes that pass on one connection before the fault. Default 0: the next byte does not pass. */
  bytes?: number;
  /** Counts only on a connection on which the client has sent this text since the fault was planned. Default: any connection. */
  after?: string;
}

/** A planned fault as one connection sees it. */
interface Count {
  /** Whether the text that starts the count has passed. */
  hasBegun: boolean;
  /** The last characters that the client has sent: the text may arrive in two chunks. */
  tail: string;
  left: number;
}

interface LinkListeners {
  /** Called when both sides are closed. */
  onEnd(): void;
  /** Called before a planned fault comes. */
  onFault(plan: PlannedFault): void;
}

/** One connection of a client, and the connection to the server that goes with it. */
export class ProxyLink {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #listeners: LinkListeners;
  readonly #counts = new Map<PlannedFault, Count>();
  #isStalled = false;
  /** What a stall holds back. Both sockets are paused, so these are a few chunks at most. */
  #heldBack: (() => void)[] = [];

  constructor(client: Socket, target: NetConnectOpts, listeners: LinkListeners) {
    this.#client = client;
    this.#server = connect({ ...target, allowHalfOpen: true });
    this.#listeners = listeners;
    this.#pipe(client, this.#server, "toServer");
    this.#pipe(this.#server, client, "toClient");
  }

  add(plan: PlannedFault): void {
    this.#counts.set(plan, { hasBegun: plan.after === undefined, tail: "", left: plan.bytes ?? 0 });
  }

  forget(plan: PlannedFault): void {
    this.#counts.delete(plan);
  }

  break(fault: Fault): void {
    if (fault === "cut") {
      this.#client.resetAndDestroy();
      // A socket file knows no reset.
      this.#server.destroy();
    } else if (fault === "stall") {
      this.#isStalled = true;
      this.#client.pause();
      this.#server.pause();
    } else if (fault === "endToServer") this.#server.end();
    else this.#client.end();
  }

  resume(): void {
    if (!this.#isStalled) return;
    this.#isStalled = false;
    for (const pass of this.#heldBack.splice(0)) pass();
    this.#client.resume();
    this.#server.resume();
  }

  #pipe(from: Socket, to: Socket, direction: Direction): void {
    from.on("data", (chunk: Buffer) => this.#receive(chunk, from, to, direction));
    from.on("end", () => this.#pass(() => to.end()));
    from.on("error", () => this.#pass(() => to.destroy()));
    from.on("close", () => {
      if (this.#client.destroyed && this.#server.destroyed) this.#listeners.onEnd();
      else if (from.errored === null) this.#pass(() => to.end());
    });
    to.on("drain", () => {
      if (!this.#isStalled) from.resume();
    });
  }

  #pass(act: () => void): void {
    if (this.#isStalled) this.#heldBack.push(act);
    else act();
  }

  #receive(chunk: Buffer, from: Socket, to: Socket, direction: Direction): void {
    const due = this.#count(chunk, direction);
    const send = (part: Buffer) => {
      if (part.length > 0 && to.writable && !to.write(part)) from.pause();
    };
    if (!due) {
      this.#pass(() => send(chunk));
      return;
    }
    const { plan, passing } = due;
    this.#pass(() => send(chunk.subarray(0, passing)));
    this.#listeners.onFault(plan);
    // What was sent before a reset must have left.
    const act = () => {
      this.break(plan.fault);
      // The rest of a half-closed or stalled direction.
      this.#pass(() => send(chunk.subarray(passing)));
    };
    if (plan.fault === "cut" && to.writableLength > 0) to.once("drain", act);
    else act();
  }

  /** Counts the bytes of a chunk for all plans. Returns the first plan that is due, and the bytes that still pass. */
  #count(chunk: Buffer, direction: Direction): { plan: PlannedFault; passing: number } | undefined {
    for (const [plan, count] of this.#counts) {
      if (count.hasBegun && plan.direction === direction) {
        if (chunk.length > count.left) return { plan, passing: count.left };
        count.left -= chunk.length;
      }
      if (count.hasBegun || direction !== "toServer" || plan.after === undefined) continue;
      const text = count.tail + chunk.toString("latin1");
      count.hasBegun = text.includes(plan.after);
      count.tail = text.slice(-plan.after.length);
    }
    return undefined;
  }
}
