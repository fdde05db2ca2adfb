import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "./helpers/clients.ts";
import { answer, delta, settled, start } from "./helpers/records.ts";

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const root = join(packageFolder, "../..");
const cli = join(root, "packages/coding-agent/dist/cli.js");
const isBuilt = existsSync(join(packageFolder, "dist/index.js"));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "rpc-client-alone-")));
const client = pathToFileURL(join(folder, "package/dist/index.js")).href;

/** Where the machine has no such program, the tests of that runtime are skipped by name. */
const runtimes = {
  "Node 22": join(root, "tools/runtimes/node_modules/node22/bin/node"),
  "Node 24": join(root, "node_modules/.bin/node"),
  "Node 26": join(root, "tools/runtimes/node_modules/node26/bin/node"),
  Bun: process.env.BUN ?? findOnPath("bun"),
};

function findOnPath(name: string): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((one) => join(one, name)).find((path) => existsSync(path)) ?? "";
}

const text = [
  { type: "message_start", message: answer([]) },
  delta({ type: "text_start", contentIndex: 0 }),
  delta({ type: "text_delta", contentIndex: 0, delta: "Häuser 😀" }),
  { type: "message_end", message: answer([]) },
];
const prompts = [
  ["accept", start, ...text, { type: "agent_end", messages: [], willRetry: false }, settled],
  ["accept", start, "exit"],
];

beforeAll(async () => {
  if (!isBuilt) return;
  await run(join(root, "node_modules/.bin/pnpm"), ["pack", "--pack-destination", folder], { cwd: packageFolder });
  await run("tar", ["-xzf", "pikit-rpc-client-0.0.0.tgz"], { cwd: folder });
  writeFileSync(join(folder, "records.json"), JSON.stringify({ streamMode: "deltas", prompts }));
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work/README.md"), "# Sample\n\nSomething to look at.\n");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(runtimes))("the packed client alone on %s", (name, runtime) => {
  test.skipIf(!isBuilt || !existsSync(runtime))(
    "works with well-behaved and misbehaving agents, and with the built one",
    async () => {
      const agent = existsSync(cli) ? [cli, name === "Bun" ? runtimes["Node 24"] : runtime, join(folder, "work")] : [];
      const args = [fixture("alone"), client, fixture("plays-records"), fixture("leaves-child"), ...agent];
      const env = { PATH: process.env.PATH, HOME: folder, RECORDS: join(folder, "records.json") };
      const { stdout, stderr } = await run(runtime, args, { cwd: folder, env });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({
        text: "Häuser 😀",
        types: "agent_start message_start message_update message_end agent_end agent_settled",
        crash: [true, "exited", 7],
        isGone: true,
        pooled: { streamMode: "deltas" },
        ...(existsSync(cli)
          ? {
              roles: "user assistant toolResult assistant toolResult assistant",
              served: { isWhole: true, refusal: ["refused", true] },
            }
          : {}),
      });
    },
  );
});
