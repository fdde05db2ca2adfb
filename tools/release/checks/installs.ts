import { equal, match } from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Checks } from "../../lib/report.ts";
import type { Finished } from "../../lib/run-program.ts";
import { bun, deno, has, Machine, nodes, succeeded } from "../lib/machine.ts";

const programs = resolve(dirname(fileURLToPath(import.meta.url)), "../programs");

/** The packages that a program installs. */
const libraries = ["coding-agent", "agent", "ai", "rpc-client", "postgres", "otel"].map((name) => `@pikit/${name}`);

/** A model that calls the tool of the program, and then answers. */
const answers = [{ toolCalls: [{ name: "lamps", arguments: { place: "the tower" } }] }, { text: "Two." }];
const told = "Two lamps in the tower.\nTwo.\n";

/** A way to install packages and to run what they bring. */
interface Way {
  name: string;
  node: string;
  /** Installs packages in the project. */
  add(machine: Machine, packages: readonly string[]): Promise<unknown>;
  /** Runs a program of a package. */
  bin(machine: Machine, name: string, args: readonly string[]): Promise<Finished>;
  /** Runs a program of the user. */
  program(machine: Machine, file: string, args: readonly string[]): Promise<Finished>;
}

const linkedBin = (machine: Machine, name: string, args: readonly string[]) =>
  machine.run(join(machine.cwd, "node_modules/.bin", name), args);

/** The ways that exist on this platform. */
function ways(): Way[] {
  const newest = nodes["24"];
  const withNpm = Object.entries(nodes).map(
    ([version, node]): Way => ({
      ...{ name: `npm, Node ${version}`, node },
      add: (machine, packages) => machine.manage("npm", "install", ...packages),
      bin: linkedBin,
      program: (machine, file, args) => machine.run(node, [file, ...args]),
    }),
  );
  const withPnpm: Way = {
    ...{ name: "pnpm, strict", node: newest },
    add: (machine, packages) => machine.manage("pnpm", "add", "--config.strict-peer-dependencies=true", ...packages),
    bin: linkedBin,
    program: (machine, file, args) => machine.run(newest, [file, ...args]),
  };
  const withYarn = ["pnp", "node-modules"].map(
    (linker): Way => ({
      ...{ name: `yarn, ${linker}`, node: newest },
      async add(machine, packages) {
        await machine.write("yarn.lock", "");
        await machine.write(".yarnrc.yml", `nodeLinker: ${linker}\n`);
        await machine.manage("yarn", "add", ...packages);
      },
      bin: (machine, name, args) => machine.manage("yarn", "run", name, ...args),
      program: (machine, file, args) => machine.manage("yarn", "node", file, ...args),
    }),
  );
  const withBun: Way = {
    ...{ name: "bun", node: bun },
    add: (machine, packages) => machine.manage("bun", "add", ...packages),
    bin: (machine, name, args) => machine.manage("bun", "run", "--bun", name, ...args),
    program: (machine, file, args) => machine.run(bun, [file, ...args]),
  };
  const withDeno: Way = {
    ...{ name: "deno", node: deno },
    async add(machine, packages) {
      await machine.write("deno.json", '{ "nodeModulesDir": "auto" }\n');
      // By default it leaves out packages that were published a moment ago.
      const names = packages.map((name) => `npm:${name}`);
      await machine.manage("deno", "add", "--minimum-dependency-age=0", ...names);
    },
    bin: (machine, name, args) => machine.manage("deno", "run", "--allow-all", `npm:@pikit/coding-agent/${name}`, ...args),
    program: (machine, file, args) => machine.manage("deno", "run", "--allow-all", file, ...args),
  };
  return [...withNpm, withPnpm, ...withYarn, withBun, withDeno].filter(({ node }) => has(node));
}

/** Installs the packages in each way, in an empty home, and uses all of them. */
export async function checkInstalls(checks: Checks, folder: string, registry: string, version: string): Promise<void> {
  for (const [index, way] of ways().entries()) {
    const machine = await Machine.create(join(folder, `install-${index}`), way.node, registry);
    const isThere = await checks.check(`${way.name}: the packages are installed`, () => way.add(machine, libraries));
    if (!isThere) continue;
    for (const file of ["sdk.mjs", "client.mjs", "required.cjs", "extension.ts"]) {
      await copyFile(join(programs, file), join(machine.cwd, file));
    }
    const pi = async (...args: string[]) => succeeded(await way.bin(machine, "pi", args), `pi ${args.join(" ")}`).stdout;
    const run = async (file: string, ...args: string[]) => succeeded(await way.program(machine, file, args), file).stdout;
    await checks.check(`${way.name}: pi has the version, and answers a prompt with the demo`, async () => {
      equal(await pi("--version"), `${version}\n`);
      match(await pi("-p", "--model", "demo/tour", "--no-session", "Give me a tour of this folder."), /Lighthouse/);
    });
    await checks.check(`${way.name}: pi runs a command, and an extension in TypeScript`, async () => {
      const model = await machine.script({ toolCalls: [{ name: "bash", arguments: { command: "echo out" } }] }, ...answers);
      const args = ["--model", model, "--mode", "json", "-e", "./extension.ts", "How many?"];
      const events = (await pi(...args)).split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
      const results = events.flatMap(({ type, result }) => (type === "tool_execution_end" ? [result.content[0].text.trim()] : []));
      equal(results.join("|"), "out|Two lamps in the tower.");
    });
    await checks.check(`${way.name}: a program uses the library, and another one the client`, async () => {
      const model = await machine.script(...answers);
      equal(await run("sdk.mjs", model), told);
      equal(await run("client.mjs", model), told);
    });
    await checks.check(`${way.name}: require() loads the packages`, async () => {
      equal(await run("required.cjs"), "function function function function function function\n");
    });
  }
}

/** Installs the command for a user, as `pi` and as `pikit`. */
export async function checkGlobalInstall(checks: Checks, folder: string, registry: string, version: string): Promise<void> {
  const machine = await Machine.create(join(folder, "global"), nodes["24"], registry);
  const bin = join(machine.home, ".global/bin");
  await checks.check("npm install -g pikit, beside another program named pi", async () => {
    await machine.manage("npm", "install", "--global", "pikit");
    await writeFile(join(bin, "pi"), "another program\n");
    equal(succeeded(await machine.run("pikit", ["--version"]), "pikit").stdout, `${version}\n`);
    equal(await readFile(join(bin, "pi"), "utf8"), "another program\n");
  });
  await checks.check("npm install -g @pikit/coding-agent does not replace it, unless it is forced to", async () => {
    const error = await machine
      .manage("npm", "install", "--global", "@pikit/coding-agent")
      .catch((reason: Error) => reason.message);
    match(String(error), /EEXIST/);
    await machine.manage("npm", "install", "--global", "--force", "@pikit/coding-agent");
    equal(succeeded(await machine.run("pi", ["--version"]), "pi").stdout, `${version}\n`);
  });
}
