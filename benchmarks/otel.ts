import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Pace, promptFor, startProvider } from "./lib/provider.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { inTemporaryFolder } from "./lib/workplace.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "programs/traced-stream.ts");
const deltas = 10_000;
/** One reply in bulk takes some 20 ms: it takes many to tell 3 percent from nothing. */
const pairsPerRound = 12;

/**
 * CPU time a delta of a session with traces and metrics, against one without. In bulk, where parsing is nearly all, shows the most; replies one by
 * one take minutes.
 */
export async function otel(rounds: number, { isFull }: { isFull: boolean }): Promise<Result[]> {
  const paces: readonly Pace[] = isFull ? ["in bulk", "one by one"] : ["in bulk"];
  await using provider = await startProvider();
  // Takes everything and looks at nothing: it has a process of its own in real life.
  const collector = createServer((request, response) => request.resume().on("end", () => response.writeHead(200).end())).listen(0);
  await once(collector, "listening");
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  try {
    return await inTemporaryFolder(async (folder) => {
      const results: Result[] = [];
      for (const pace of paces) {
        const times = pace === "in bulk" ? pairsPerRound * rounds : rounds;
        const args = [program, provider.url, promptFor(deltas, pace), String(times), folder];
        const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT };
        const { stdout } = await run(process.execPath, args, { env });
        const { plain, traced } = JSON.parse(stdout) as Record<"plain" | "traced", number[]>;
        const perDelta = (times: readonly number[]) => times.map((microseconds) => microseconds / deltas);
        const base = summarize(`a session, ${pace}, CPU a delta`, "µs", perDelta(plain));
        results.push(base, summarize(`the same with traces, ${pace}`, "µs", perDelta(traced), base, 1.03));
      }
      return results;
    });
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
}
