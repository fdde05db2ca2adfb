// Run by otel.ts in a process of its own: two sessions get the same long reply in turns, one of them with traces and metrics that are sent to a
// collector. Prints the CPU time of the main thread for each reply as one line of JSON.

// By address: the built packages are what is measured, and types are checked before anything is built.
const built = (path: string) => new URL(`../../packages/${path}`, import.meta.url).href;
const library = (await import(built("coding-agent/dist/index.js"))) as typeof import("../../packages/coding-agent/src/index.ts");
const { startTelemetry } = (await import(built("otel/dist/pi.js"))) as typeof import("../../packages/otel/src/pi.ts");
const [url, prompt, rounds, folder] = process.argv.slice(2) as [string, string, string, string];

const model = {
  ...{ id: "bench", name: "bench", api: "anthropic-messages", provider: "bench", baseUrl: url },
  ...{ reasoning: false, input: ["text" as const], contextWindow: 0, maxTokens: 1000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const problems: string[] = [];
const telemetry = startTelemetry({ version: "0.0.0", report: (problem) => problems.push(problem) });

/** A session for one reply, so that its conversation does not grow. Like a mode, a subscriber looks at each delta. */
async function reply(isTraced: boolean): Promise<number> {
  const session = await library.createAgentSession({
    ...{ cwd: folder, agentDir: folder, session: "memory", model, apiKey: "not-a-key" },
  });
  if (isTraced) telemetry.instrument(session);
  let length = 0;
  session.subscribe((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      length += event.assistantMessageEvent.delta.length;
    }
  });
  const before = process.threadCpuUsage();
  await session.prompt(prompt);
  const { user, system } = process.threadCpuUsage(before);
  await session.dispose();
  if (length === 0) throw new Error("there was no reply");
  return user + system;
}

const times: { plain: number[]; traced: number[] } = { plain: [], traced: [] };
// The first rounds load and compile.
for (let round = -3; round < Number(rounds); round += 1) {
  if (round === 0) times.plain.length = times.traced.length = 0;
  // The order changes, so that garbage of one hits the other as often.
  for (const isTraced of round % 2 === 0 ? [false, true] : [true, false]) {
    times[isTraced ? "traced" : "plain"].push(await reply(isTraced));
  }
}
await telemetry.shutdown();
if (problems.length > 0) throw new Error(problems.join("\n"));
console.log(JSON.stringify(times));
