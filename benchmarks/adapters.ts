import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { anthropic, google, openai, openaiResponses, startProviderServer, type Wire } from "@pikit/test-kit";
import { bundleSdk } from "./lib/bundle-sdk.ts";
import { type Result, summarize } from "./lib/statistics.ts";

const run = promisify(execFile);
const packageFolder = join(import.meta.dirname, "../packages/ai");

/** `sdk`: what its adapter loads; absent where the adapter loads none. */
const wires: readonly { api: string; wire: Wire; sdk?: string }[] = [
  { api: "anthropic-messages", wire: anthropic, sdk: "@anthropic-ai/sdk" },
  { api: "openai-completions", wire: openai, sdk: "openai" },
  { api: "openai-responses", wire: openaiResponses, sdk: "openai" },
  { api: "google-generative-ai", wire: google },
];

/** CPU time of a reply of 10,000 deltas through each adapter, once warm, against a loop that only fetches, splits and parses. */
export async function adapterStream(rounds: number): Promise<Result[]> {
  const deltas = Array.from({ length: 10_000 }, (_, index) => `word${index} `);
  const results: Result[] = [];
  for (const { api, wire } of wires) {
    const reply = wire.answer([{ text: deltas }]);
    await using server = await startProviderServer();
    for (let request = 0; request < 2 * (rounds + 5); request += 1) server.respond(reply);
    const program = join(import.meta.dirname, "programs/stream-reply.ts");
    const { stdout } = await run(process.execPath, [program, api, server.url, String(rounds)]);
    const times = JSON.parse(stdout) as { bare: number[]; adapter: number[] };
    const bare = summarize(`bare loop, ${api}`, "ms", times.bare);
    results.push(bare, summarize(`adapter, ${api}`, "ms", times.adapter, bare, 1.3));
  }
  return results;
}

/** The load of each adapter against the import of its SDK alone, bundled alike, in fresh processes. */
export async function adapterLoad(rounds: number): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const results: Result[] = [];
  try {
    for (const { api, sdk } of wires) {
      if (sdk === undefined) continue;
      const bundle = join(folder, `${sdk.replace("/", "-")}.mjs`);
      await bundleSdk(sdk, bundle);
      const times = { sdk: [] as number[], adapter: [] as number[] };
      for (let round = -2; round < rounds; round += 1) {
        if (round === 0) times.sdk.length = times.adapter.length = 0;
        times.sdk.push(await importMilliseconds([bundle], folder));
        times.adapter.push(await importMilliseconds([join(packageFolder, "dist/index.js"), api], folder));
      }
      const base = summarize(`import of ${sdk}`, "ms", times.sdk);
      results.push(base, summarize(`load of ${api}`, "ms", times.adapter, base, 1.2));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

async function importMilliseconds(args: readonly string[], cacheFolder: string): Promise<number> {
  const program = join(import.meta.dirname, "programs/import-once.ts");
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder, "cache") };
  const { stdout } = await run(process.execPath, [program, ...args], { env });
  return Number(stdout);
}
