import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Delay } from "./lib/loop-delay.ts";
import { Served } from "./lib/served.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";
import type { Stage } from "./programs/many-sessions.ts";

/** One fresh server. */
export interface ServeBurst {
  /** While the sessions are begun, all at once. */
  created: Delay;
  /** From the first prompts of the server, which come all at once, to the last end. */
  first: Delay;
  /** From the next ones. */
  next: Delay;
}

const programs = join(import.meta.dirname, "programs");
const settleMs = 300;

/** All sessions of fresh `pi serve` processes get a prompt at once, twice; each has a client that watches it. */
export async function serveBursts(rounds: number, { sessions, deltas, rate }: Stage): Promise<ServeBurst[]> {
  const provider = spawn(process.execPath, [join(programs, "many-sessions-server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [address] = await once(provider.stdout, "data");
    const url = `${String(address).trim()}/${sessions}/${deltas}/${rate}`;
    const bursts: ServeBurst[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await inTemporaryFolder(async (root) => {
        bursts.push(await measure(sessions, await makeWorkplace(root, "serve", { url, api: "anthropic-messages" })));
      });
    }
    return bursts;
  } finally {
    provider.stdin.end();
    provider.kill();
  }
}

async function measure(count: number, workplace: Workplace): Promise<ServeBurst> {
  await using server = await Served.start(workplace, "--import", join(programs, "loop-delay.ts"));
  const ids: string[] = [];
  const created = await delayOf(server, async () => void ids.push(...(await server.begin(count))));
  const first = await promptAll(server, ids);
  await wait(settleMs);
  return { created, first, next: await promptAll(server, ids) };
}

async function promptAll(server: Served, ids: readonly string[]): Promise<Delay> {
  const watching = fork(join(programs, "serve-watchers.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    watching.send({ urls: server.eventsOf(ids), token: server.token });
    await once(watching, "message");
    await wait(settleMs);
    return await delayOf(server, async () => {
      const settled = once(watching, "message");
      await Promise.all(ids.map((id) => server.command(id, { type: "prompt", message: "Go" })));
      await settled;
    });
  } finally {
    watching.kill();
  }
}

/** How late the event loop of the server is meanwhile. */
async function delayOf({ child }: Served, work: () => Promise<void>): Promise<Delay> {
  child.send("begin");
  await once(child, "message");
  await work();
  child.send("end");
  const [delay] = (await once(child, "message")) as [Delay];
  return delay;
}
