import { join } from "node:path";
import { expect, test } from "vitest";
import { built, cleanEnvironment, root, run, temporaryFolder } from "./helpers.ts";

/** An agent that answers one line of three and then gives up. */
const fake = `
  process.stdin.once("data", () => {
    console.error("boom");
    process.exit(3);
  });`;

async function bench(...args: readonly string[]) {
  built("coding-agent", "cli.js");
  const folder = await temporaryFolder({ "fake.mjs": fake });
  const program = join(root, "benchmarks/run.ts");
  return {
    folder,
    run: (...more: string[]) => run(process.execPath, [program, ...args, ...more], { cwd: folder, env: cleanEnvironment(folder) }),
  };
}

interface Report {
  rounds: number;
  benchmarks: Record<string, { name: string; median?: number; base?: string; ratio?: number; limit?: number; failure?: string }[]>;
}

test("the benchmark of the start gives every row with its floor, and an agent that dies beside it takes nothing with it", async () => {
  const { folder, run: start } = await bench("first-answer", "--rounds", "1", "--json");
  const { code, stdout } = await start("--against", `'${process.execPath}' '${folder}/fake.mjs'`);
  expect(code).toBe(0);
  const { rounds, benchmarks } = JSON.parse(stdout) as Report;
  expect(rounds).toBe(1);
  expect(Object.keys(benchmarks)).toEqual(["first-answer"]);
  const rows = benchmarks["first-answer"] ?? [];
  expect(rows.filter(({ failure }) => failure !== undefined)).toEqual([
    { name: "against", failure: expect.stringContaining("boom") },
  ]);
  const later = rows.find(({ name }) => name === "pi, later starts");
  expect(later).toMatchObject({ base: "bare node -e 0, spawn to exit", limit: 1.4, ratio: expect.any(Number) });
  for (const { median, failure } of rows) if (failure === undefined) expect(median).toBeGreaterThan(0);
}, 60_000);

test.each([
  ["an unknown benchmark", ["speed"], 'No benchmark "speed": there is first-answer,'],
  ["no rounds", ["--rounds", "0"], '--rounds is "0": expected a number from 1 on.'],
  ["an empty command", ["--against", " "], "--against is empty: expected the command of an agent."],
])(
  "the benchmarks refuse %s in one line",
  async (_what, args, message) => {
    const { run: start } = await bench(...args);
    const { code, stderr } = await start();
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  },
  30_000,
);
