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
const paces: readonly Pace[] = ["one by one", "in bulk"];

/** CPU time a delta of a session with traces and metrics, against one without. */
export async function otel(rounds: number): Promise<Result[]> {
  await using provider = await startProvider();
  // Takes everything and looks at nothing: it has a process of its own in real life.
  const collector = createServer((request, response) => request.resume().on("end", () => response.writeHead(200).end())).listen(0);
  await once(collector, "listening");
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  try {
    return await inTemporaryFolder(async (folder) => {
      const results: Result[] = [];
      for (const pace of paces) {
        // A reply in bulk takes 20 ms, so that many are needed, and many can be had.
        const times = pace === "in bulk" ? 5 * rounds : rounds;
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
