import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type Fault, type PlannedFault, ProxyLink } from "./proxy-link.ts";
import { targetOf, throughPort } from "./target.ts";

/** A proxy in front of a PostgreSQL server, whose connections fail in the ways that networks, servers and firewalls make them fail. */
export interface FaultProxy {
  /** The address of the database through this proxy. */
  readonly url: string;
  /** The number of connections that clients have now, stalled ones too. */
  readonly connections: number;
  /** Breaks all connections now. Those that are made later work. */
  breakAll(fault: Fault): void;
  /** Plans a fault for one connection. The promise resolves when it has come. */
  plan(fault: PlannedFault): Promise<void>;
  /** Drops planned faults that have not come. */
  dropPlans(): void;
  /** Lets nothing pass, on connections of now and of later, which a client can make: a server that hangs, or a lost network. */
  stallAll(): void;
  /** Reverts all stalls. What was held back passes now. */
  resume(): void;
  /** Breaks all connections, and refuses new ones, until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Breaks all connections; new ones go to the server of this address. */
  moveTo(address: string): void;
}

/** Starts a proxy for the server of an address. It is closed after the test. */
export async function startFaultProxy(address: string): Promise<FaultProxy> {
  const links = new Set<ProxyLink>();
  const plans = new Map<PlannedFault, () => void>();
  let target = targetOf(address);
  let areStalled = false;
  let port = 0;
  let server: Server;

  const accept = async () => {
    server = createServer({ allowHalfOpen: true }, add).listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  };
  const add = (client: Socket) => {
    const link = new ProxyLink(client, target, {
      onEnd: () => void links.delete(link),
      onFault: (plan) => {
        plans.get(plan)?.();
        plans.delete(plan);
        for (const each of links) each.forget(plan);
      },
    });
    links.add(link);
    for (const plan of plans.keys()) link.add(plan);
    if (areStalled) link.break("stall");
  };
  const proxy: FaultProxy = {
    get url() {
      return throughPort(address, port);
    },
    get connections() {
      return links.size;
    },
    breakAll(fault) {
      for (const link of links) link.break(fault);
    },
    plan(plan) {
      const { promise, resolve } = Promise.withResolvers<void>();
      plans.set(plan, resolve);
      for (const link of links) link.add(plan);
      return promise;
    },
    dropPlans() {
      for (const link of links) for (const plan of plans.keys()) link.forget(plan);
      plans.clear();
    },
    stallAll() {
      areStalled = true;
      proxy.breakAll("stall");
    },
    resume() {
      areStalled = false;
      for (const link of links) link.resume();
    },
    async refuse() {
      const closed = once(server, "close");
      server.close();
      proxy.breakAll("cut");
      await closed;
    },
    accept,
    moveTo(other) {
      target = targetOf(other);
      proxy.breakAll("cut");
    },
  };
  await accept();
  onTestFinished(async () => {
    if (server.listening) await proxy.refuse();
  });
  return proxy;
}
