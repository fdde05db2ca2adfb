import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Agent, type AgentOptions, agents } from "./lib/agents.ts";
import { bundleSdk, stripTypes } from "./lib/bundle-sdk.ts";
import { cpuMicroseconds } from "./lib/process-usage.ts";
import { monotonicMs, type Provider, promptFor, startProvider } from "./lib/provider.ts";
import { getState, prompt, waitForDelta, waitForRunEnd, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { type Program, type Series, type SeriesView, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { type Sdk, writeUserScript } from "./lib/user-script.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

/** How long a client waits after the first answer, in milliseconds. */
const pauseMs = 300;
const question = prompt(promptFor(3, "at once"));
const wires: { api: string; sdk: Sdk }[] = [
  { api: "anthropic-messages", sdk: "@anthropic-ai/sdk" },
  { api: "openai-completions", sdk: "openai" },
];

/** Milliseconds from the prompt, or from the spawn when the prompt is the first line. */
interface FirstDelta {
  /** Until all of the request was at the provider. */
  request: number;
  /** Until the first delta was read. */
  delta: number;
  /** CPU time of the program until then. */
  cpu: number;
}

const of = {
  request: ({ request }: FirstDelta) => request,
  delta: ({ delta }: FirstDelta) => delta,
  cpu: ({ cpu }: FirstDelta) => cpu,
};

/**
 * The first delta of the first prompt, from a provider on this machine: for a prompt that comes a moment after the first answer, and
 * for one that is the very first line: its first delta against a script that loads the same SDK, bundled as ours is, and sends the same request; its
 * request against a script as users write it, with the installed SDK.
 */
export async function firstPrompt(rounds: number, options: AgentOptions = {}): Promise<Result[]> {
  const results: Result[] = [];
  for (const wire of wires) {
    await using provider = await startProvider();
    results.push(...(await inTemporaryFolder((root) => measureWire(root, wire, provider, rounds, options))));
  }
  return results;
}

async function measureWire(
  root: string,
  { api, sdk }: (typeof wires)[number],
  provider: Provider,
  rounds: number,
  options: AgentOptions,
): Promise<Result[]> {
  const bare = `bare script, spawn to delta, ${api}`;
  const programs = new Map<string, Program<FirstDelta>>();
  for (const { name, command, isForeign } of agents(options, "--stream", "deltas")) {
    const later = await makeWorkplace(root, `${name} later`, { url: provider.url, api });
    const again = await makeWorkplace(root, `${name} again`, { url: provider.url, api });
    const atOnce = await makeWorkplace(root, `${name} at once`, { url: provider.url, api });
    programs.set(`${name}, idle`, { run: () => promptIdle(command, later, provider), mayFail: isForeign });
    programs.set(`${name}, second`, { run: () => promptAgain(command, again, provider), mayFail: isForeign });
    programs.set(`${name}, at once`, { run: () => promptAtOnce(command, atOnce, provider), mayFail: isForeign });
  }
  const command = await prepareBare(root, { api, sdk }, provider);
  const workplace = await makeWorkplace(root, "bare");
  programs.set(bare, { run: () => promptAtOnce(command, workplace, provider) });
  const script = `script with the installed SDK, spawn to request, ${api}`;
  const scriptCommand = [process.execPath, await writeUserScript(root, sdk, sdkAddress(api, provider))];
  const scriptWorkplace = await makeWorkplace(root, "script");
  programs.set(script, { run: () => promptAtOnce(scriptCommand, scriptWorkplace, provider) });

  const all = await takeTurns(rounds, programs);
  const bareTime = summarize(bare, "ms", valuesOf(all, bare).map(of.delta));
  const scriptTime = summarize(script, "ms", valuesOf(all, script).map(of.request));
  const bareCpu = summarize(`${bare}, CPU`, "ms", valuesOf(all, bare).map(of.cpu));
  return [
    ...agents(options).flatMap((agent) => [
      row(all, agent, "idle", `prompt to request, ${api}`, "request"),
      row(all, agent, "idle", `prompt to delta, ${api}`, "delta", { limit: { atMost: 25 } }),
      row(all, agent, "idle", `prompt to delta, ${api}, CPU`, "cpu"),
      row(all, agent, "second", `second prompt to delta, ${api}`, "delta"),
    ]),
    scriptTime,
    summarize(`bare script, spawn to request, ${api}`, "ms", valuesOf(all, bare).map(of.request)),
    bareTime,
    bareCpu,
    ...agents(options).flatMap((agent) => [
      row(all, agent, "at once", `spawn to request, ${api}`, "request", { base: scriptTime, limit: 1.1 }),
      row(all, agent, "at once", `spawn to delta, ${api}`, "delta", { base: bareTime, limit: 1.5 }),
      row(all, agent, "at once", `spawn to delta, ${api}, CPU`, "cpu", { base: bareCpu }),
    ]),
  ];
}

function row(
  all: ReadonlyMap<string, Series<FirstDelta>>,
  { name, isForeign }: Agent,
  kind: "idle" | "second" | "at once",
  title: string,
  what: keyof FirstDelta,
  { base, limit }: Pick<SeriesView<FirstDelta>, "base" | "limit"> = {},
): Result {
  return summarizeSeries(all, `${name}, ${kind}`, {
    title: `${name}, ${title}`,
    unit: "ms",
    pick: of[what],
    ...(base && { base }),
    limit: isForeign ? undefined : limit,
  });
}

async function promptIdle(command: readonly string[], workplace: Workplace, provider: Provider): Promise<FirstDelta> {
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  await wait(pauseMs);
  return await untilDelta(agent, provider, () => agent.send(question));
}

/** What is left when all is loaded and connected. */
async function promptAgain(command: readonly string[], workplace: Workplace, provider: Provider): Promise<FirstDelta> {
  await using agent = new RpcProcess(command, workplace);
  agent.send(question);
  await waitForRunEnd(agent);
  await wait(pauseMs);
  return await untilDelta(agent, provider, () => agent.send(question));
}

async function promptAtOnce(command: readonly string[], workplace: Workplace, provider: Provider): Promise<FirstDelta> {
  const startedAt = performance.now();
  await using program = new RpcProcess(command, workplace);
  return await untilDelta(program, provider, () => program.send(question), startedAt);
}

async function untilDelta(
  program: RpcProcess,
  provider: Provider,
  send: () => void,
  startedAt = performance.now(),
): Promise<FirstDelta> {
  const clockOffset = monotonicMs() - performance.now();
  provider.forget();
  const cpuBefore = cpuMicroseconds(program.pid);
  send();
  const { at } = await waitForDelta(program);
  const cpu = (cpuMicroseconds(program.pid) - cpuBefore) / 1000;
  const { arrivedAt } = await provider.nextRequest();
  return { request: arrivedAt - clockOffset - startedAt, delta: at - startedAt, cpu };
}

/** The script, and the request that pi sends. */
async function prepareBare(root: string, { api, sdk }: (typeof wires)[number], provider: Provider): Promise<string[]> {
  const [program, bundle, body] = ["first-delta.mjs", "sdk.mjs", "body.json"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  await stripTypes(join(import.meta.dirname, "programs/first-delta.ts"), program);
  await bundleSdk(sdk, bundle);
  await using pi = new RpcProcess(agents({})[0]?.command ?? [], await makeWorkplace(root, "body", { url: provider.url, api }));
  pi.send(question);
  await waitForDelta(pi);
  await writeFile(body, JSON.stringify((await provider.nextRequest()).body));
  return [process.execPath, program, bundle, sdkAddress(api, provider), body];
}

/** The base URL that the SDK of a wire wants. */
function sdkAddress(api: string, { url }: Provider): string {
  return api === "openai-completions" ? `${url}/v1` : url;
}
