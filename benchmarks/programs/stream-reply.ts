// Run by adapters.ts in a process of its own: asks a server for the same long reply again and again, in turn through an adapter and with a
// bare loop, and prints the CPU time of each as one line of JSON.

// By address: the built package is what is measured, and types are checked before anything is built.
const built = new URL("../../packages/ai/dist/index.js", import.meta.url).href;
const { stream } = (await import(built)) as typeof import("../../packages/ai/src/index.ts");
const [api, url, rounds] = process.argv.slice(2) as [string, string, string];
const model = {
  id: "bench",
  name: "bench",
  api,
  provider: "bench",
  baseUrl: url,
  reasoning: false,
  input: ["text" as const],
  contextWindow: 0,
  maxTokens: 1000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** What nobody can do without: fetch, cut into lines, parse. */
async function bare(): Promise<number> {
  const response = await fetch(url, { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      JSON.parse(line.slice(6));
      count += 1;
    }
  }
  return count;
}

async function adapter(): Promise<number> {
  let count = 0;
  const events = stream(model, { messages: [{ role: "user", content: "Go", timestamp: 0 }] });
  for await (const event of events) if (event.type === "text_delta") count += 1;
  const { errorMessage } = await events.result();
  if (errorMessage !== undefined) throw new Error(errorMessage);
  return count;
}

async function cpuMilliseconds(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const count = await work();
  if (count < 10_000) throw new Error(`expected 10,000 deltas, got ${count}`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times: { bare: number[]; adapter: number[] } = { bare: [], adapter: [] };
// The first rounds load, connect and compile.
for (let round = -5; round < Number(rounds); round += 1) {
  if (round === 0) times.bare.length = times.adapter.length = 0;
  times.bare.push(await cpuMilliseconds(bare));
  times.adapter.push(await cpuMilliseconds(adapter));
}
console.log(JSON.stringify(times));
process.exit(0);
