import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importOptions, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { type Gates, gatedAnswer, type Kind, mixedKinds, sessionOf, toolAnswer } from "./kinds.ts";
import type { ManySessionsMessage, Plan, SessionReport } from "./stream-many.ts";

const isLong = process.env.PIKIT_LONG === "1";
const count = isLong ? 500 : 100;
const waves = isLong ? 100 : 10;
const deltasPerWave = 5;
const deltas = Array.from({ length: waves * deltasPerWave }, (_, n) => `word${n} `);

const workspace = useWorkspace();

test(`${count} sessions of one process stream at once, and none falls behind the others`, async () => {
  const gates = Array.from({ length: waves }, () => Promise.withResolvers<void>());
  const { kinds, reports, messages } = await streamMany({
    gatesOf: () => gates.map(({ promise }) => promise),
    // No answer begins before every session has asked: a session that waited for another one's end would wait for ever.
    onAllAsked: () => gates[0]?.resolve(),
    // What comes next is offered to all of them as soon as half are through, so that the process has work for all of them all the time.
    onMessage: (message) => message.type === "wave" && gates[message.wave]?.resolve(),
  });
  const behind = messages.flatMap((message) => (message.type === "wave" ? [message.behind] : []));
  expect(behind).toHaveLength(waves);
  // Today 1 to 5. Two waves more are what a busy machine may do to it.
  expect(Math.max(...behind), `deltas behind, wave by wave: ${behind.join(" ")}`).toBeLessThanOrEqual(3 * deltasPerWave);
  await expectWholeAnswers(kinds, reports);
});

test(`one of ${count} sessions ends while all others are in the middle of their answers, and one is kept waiting until all others have ended`, async () => {
  const [first, last] = [7, 11];
  const middle = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let settled = 0;
  const half = waves / 2;
  const { kinds, reports, messages } = await streamMany({
    gatesOf(session) {
      const gates: (Promise<void> | undefined)[] = Array(waves).fill(undefined);
      if (session !== first) gates[half] = middle.promise;
      if (session === last) gates[half + 1] = end.promise;
      return gates;
    },
    onMessage(message) {
      if (message.type !== "settled") return;
      settled += 1;
      if (message.session === first) middle.resolve();
      if (settled === count - 1) end.resolve();
    },
  });
  const order = messages.flatMap((message) => (message.type === "settled" ? [message.session] : []));
  expect(order).toHaveLength(count);
  expect([order[0], order.at(-1)]).toEqual([first, last]);
  await expectWholeAnswers(kinds, reports);
});

interface Script {
  /** What holds each wave of a session's deltas back. */
  gatesOf(session: number): Gates;
  /** All sessions have asked for their last answer. */
  onAllAsked?(): void;
  onMessage(message: ManySessionsMessage): void;
}

/** Runs the sessions in a process of their own, against a server in this one. */
async function streamMany({ gatesOf, onAllAsked, onMessage }: Script) {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  const kinds = mixedKinds(count, server.url);
  answerAll(server, kinds, gatesOf, onAllAsked);
  const plan: Plan = { root: workspace.root, kinds, deltasPerWave };
  const program = fileURLToPath(new URL("stream-many.ts", import.meta.url));
  // In a file: it is longer than arguments may be.
  await workspace.write("plan.json", plan);
  const child = spawn(process.execPath, [...importOptions, program, join(workspace.root, "plan.json")], {
    env: cleanEnvironment(workspace),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: ManySessionsMessage[] = [];
  child.on("message", (message: ManySessionsMessage) => {
    messages.push(message);
    onMessage(message);
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  const reports = messages.flatMap((message) => (message.type === "end" ? message.reports : []));
  return { kinds, reports, messages };
}

function answerAll(
  server: ProviderServer,
  kinds: readonly Kind[],
  gatesOf: Script["gatesOf"],
  onAllAsked: Script["onAllAsked"],
): void {
  const hasCalled = new Set<number>();
  let asked = 0;
  const respond: Parameters<ProviderServer["respond"]>[0] = (request) => {
    const session = sessionOf(request);
    if (kinds[session]?.hasTool && !hasCalled.has(session)) {
      hasCalled.add(session);
      return toolAnswer(session, `echo ${session}`);
    }
    asked += 1;
    if (asked === kinds.length) onAllAsked?.();
    return gatedAnswer(session, deltas, deltasPerWave, gatesOf(session));
  };
  server.respond(...kinds.flatMap(({ hasTool }) => (hasTool ? [respond, respond] : [respond])));
}

async function expectWholeAnswers(kinds: readonly Kind[], reports: readonly SessionReport[]): Promise<void> {
  expect(reports).toHaveLength(kinds.length);
  for (const [index, { hasTool, isStored }] of kinds.entries()) {
    const { events, text, sessionFile } = reports[index] as SessionReport;
    expect(events, `session ${index}`).toEqual(eventsOf(hasTool, events));
    expect(text).toBe(deltas.join(""));
    expect(sessionFile !== null).toBe(isStored);
    if (sessionFile !== null) expect(await readFile(sessionFile, "utf8")).toContain(JSON.stringify(deltas.join("")));
  }
}

/** Everything that a session tells; `actual` says how many pieces the arguments of a call came in, which is the wire's affair. */
function eventsOf(hasTool: boolean, actual: readonly string[]): string[] {
  const message = ["message_start", "message_end"];
  const call = ["toolcall_start", ...actual.filter((type) => type === "toolcall_delta"), "toolcall_end"];
  const run = ["tool_execution_start", ...actual.filter((type) => type === "tool_execution_update"), "tool_execution_end"];
  const answer = (...updates: string[]) => ["message_start", "start", ...updates, "done", "message_end"];
  return [
    ...["agent_start", "turn_start", ...message],
    ...(hasTool ? [...answer(...call), ...run, ...message, "turn_end", "turn_start"] : []),
    ...answer("text_start", ...deltas.map(() => "text_delta"), "text_end"),
    ...["turn_end", "agent_end", "agent_settled"],
  ];
}
