import { createRandom } from "./random.ts";

/** Something that happens to the fleet. */
export interface Fault {
  /** `kill`: a worker is killed, and a new one is started. `stop`: a worker is stopped for a while. `restart`: the database restarts. */
  kind: "kill" | "stop" | "restart";
  /** It happens when so many prompts have their last answer. */
  after: number;
  /** And so many milliseconds later, so that it meets the work at any point. */
  delayMs: number;
}

/** Spreads the faults over the work: kills anywhere, the stop in its first half, the restart in the middle. In the order in which they happen. */
export function planFaults(options: { prompts: number; kills: number; seed: number; hasRestart: boolean }): Fault[] {
  const { prompts, kills, seed, hasRestart } = options;
  const random = createRandom(seed);
  const between = (least: number, most: number) => random.integer(Math.floor(prompts * least), Math.floor(prompts * most));
  const faults = [
    ...Array.from({ length: kills }, () => ({ kind: "kill" as const, after: between(0.02, 0.9) })),
    { kind: "stop" as const, after: between(0.1, 0.5) },
    ...(hasRestart ? [{ kind: "restart" as const, after: between(0.4, 0.6) }] : []),
  ];
  return faults.map((fault) => ({ ...fault, delayMs: random.integer(0, 200) })).sort((a, b) => a.after - b.after);
}
