import { readFileSync } from "node:fs";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../coding-agent/test/helpers/cli.ts";
import { useWorkspace } from "../../../coding-agent/test/helpers/workspace.ts";
import { openWorkQueue } from "../../src/work/index.ts";
import { createDatabase } from "../helpers/database.ts";
import { asList, parseYaml, valuesOf } from "./manifest-tools.ts";

const workspace = useWorkspace();

function read(name: string): string {
  return readFileSync(new URL(`../../../../examples/fleet/${name}`, import.meta.url), "utf8");
}

test("pi serve knows every option that the compose file and the manifests give it", async () => {
  const objects = [...parseYaml(read("compose.yaml")), ...parseYaml(read("kubernetes/servers.yaml"))];
  const commands = [...valuesOf(objects, "command"), ...valuesOf(objects, "args")].map((command) => asList(command).map(String));
  const options = commands
    .filter(([program, command]) => program === "pi" && command === "serve")
    .map((command) => command.slice(2));
  expect(options).toHaveLength(3);
  const { stdout: usage } = await runCli(workspace, ["serve", "--help"]);
  const known = new Set(Array.from(usage.matchAll(/^ {2}(--[\w-]+)/gm), ([, name]) => name));
  expect(options.flat().filter((option) => !known.has(option.split("=", 1)[0]))).toEqual([]);
});

test("the query of the autoscaler counts the jobs that run, or could run now", async () => {
  const url = await createDatabase();
  const queue = await openWorkQueue({ url });
  onTestFinished(() => queue.close());
  await queue.enqueue({ prompt: "now" });
  await queue.enqueue({ prompt: "now, too" });
  await queue.enqueue({ prompt: "tomorrow", startAfter: new Date(Date.now() + 24 * 60 * 60 * 1000) });
  await queue.cancel((await queue.enqueue({ prompt: "never" })).id);
  const [query] = valuesOf(parseYaml(read("autoscaling.yaml")), "query");
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query(String(query))).rows).toEqual([{ count: "2" }]);
});
