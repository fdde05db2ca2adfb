import { type Agent, type AgentOptions, agents } from "./lib/agents.ts";
import { residentBytes } from "./lib/process-usage.ts";
import { promptFor, startProvider } from "./lib/provider.ts";
import { askForDeltas, getState, prompt, waitForRunEnd, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Measurement, type Result, summarize } from "./lib/statistics.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";
import { sendLongSession } from "./long-answers.ts";

/** Each answer has so many deltas. */
const deltas = 50;
/** Prompts of a conversation, where conversations are not the point. */
const promptsPerSession = 10;
/** After how many prompts memory is read: the first ones load and compile what is needed. */
const moments = [300, 1200, 3000];
/** Of the long form: one conversation that is compacted again and again, and the tokens of its window. */
const long = { prompts: 20_000, contextWindow: 16_000 };
/** Budgets, in MB. */
const budgets = { resident: { atMost: 125 }, compacted: { atMost: 140 } };
/** Of the memory at the last moment, against that at the first. */
const growthLimit = 1.1;

/**
 * Resident memory of a process that serves prompt after prompt, and while it sends a long session. The programs are started as users start them,
 * without flags of V8. Memory does not vary as time does: one round.
 */
export async function manyPrompts(_rounds: number, { isFull, ...options }: AgentOptions & { isFull: boolean }): Promise<Result[]> {
  const results: Result[] = [];
  await using provider = await startProvider();
  await inTemporaryFolder(async (root) => {
    for (const agent of agents(options, "--stream", "deltas")) {
      const workplace = await makeWorkplace(root, agent.name, { url: provider.url, api: "anthropic-messages" });
      results.push(...(await orFailure(agent, "prompts", () => servePrompts(agent, workplace))));
      if (!isFull) continue;
      const small = { url: provider.url, api: "anthropic-messages", contextWindow: long.contextWindow };
      const compacted = await makeWorkplace(root, `${agent.name}, compacted`, small);
      results.push(...(await orFailure(agent, "compactions", () => serveConversation(agent, compacted))));
    }
    const workplace = await makeWorkplace(root, "answers", { url: provider.url, api: "anthropic-messages" });
    results.push(...(await sendLongSession(workplace, isFull ? 100 : 20)));
  });
  return results;
}

/** Another agent may fail. */
async function orFailure({ name, isForeign }: Agent, what: string, work: () => Promise<Result[]>): Promise<Result[]> {
  try {
    return await work();
  } catch (error) {
    if (!isForeign) throw error;
    return [{ name: `${name}, ${what}`, failure: error instanceof Error ? error.message : String(error) }];
  }
}

async function servePrompts(agent: Agent, workplace: Workplace): Promise<Result[]> {
  const read = await playPrompts(agent, workplace, moments, promptsPerSession);
  let first: Measurement | undefined;
  return read.map(({ after, megabytes }) => {
    const isLast = after === moments.at(-1);
    const { resident } = budgets;
    const name = `${agent.name}, resident after ${after} prompts`;
    const limit = agent.isForeign ? undefined : first ? resident : undefined;
    const result = {
      ...summarize(name, "MB", [megabytes], first, limit),
      ...(isLast && !agent.isForeign && { limit: growthLimit }),
    };
    first ??= result;
    return result;
  });
}

async function serveConversation(agent: Agent, workplace: Workplace): Promise<Result[]> {
  const [last] = await playPrompts(agent, workplace, [long.prompts], Number.POSITIVE_INFINITY);
  const name = `${agent.name}, after ${long.prompts} prompts with compactions`;
  return [summarize(name, "MB", [last?.megabytes ?? 0], undefined, agent.isForeign ? undefined : budgets.compacted)];
}

/** Sends prompts, each when the run of the last one has settled, and reads the memory at some moments. */
async function playPrompts(
  { command, isForeign }: Agent,
  workplace: Workplace,
  at: readonly number[],
  perSession: number,
): Promise<{ after: number; megabytes: number }[]> {
  const read: { after: number; megabytes: number }[] = [];
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  if (isForeign) await askForDeltas(agent);
  for (let count = 1; count <= (at.at(-1) ?? 0); count += 1) {
    agent.send(prompt(promptFor(deltas, "at once")));
    await waitForRunEnd(agent);
    await waitUntilIdle(agent);
    if (at.includes(count)) read.push({ after: count, megabytes: residentBytes(agent.pid) / 1e6 });
    if (count % perSession === 0) agent.send({ type: "new_session" });
  }
  return read;
}

/** The end of the run is told a moment before another one may begin. */
async function waitUntilIdle(agent: RpcProcess): Promise<void> {
  let isIdle = false;
  while (!isIdle) {
    agent.send(getState);
    isIdle = (await waitForState(agent)).line.includes('"isStreaming":false');
  }
}
