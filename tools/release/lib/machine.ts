import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finished, runProgram } from "../../lib/run-program.ts";

const tool = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = resolve(tool, "../..");
const require = createRequire(import.meta.url);

/** Programs that install packages, with their first arguments. `node` is the Node of the machine. */
const managers = {
  npm: (node: string) => [node, join(tool, "node_modules/npm/bin/npm-cli.js")],
  pnpm: () => [join(root, "node_modules/.bin/pnpm")],
  yarn: (node: string) => [node, require.resolve("@yarnpkg/cli-dist/bin/yarn.js")],
  bun: () => [bun],
  deno: () => [deno],
} as const;

const runtimes = join(root, "tools/runtimes/node_modules");

/** The runtimes that packages are installed for. The ones that this platform has no package of do not exist. */
export const nodes = {
  "20.19": join(runtimes, "node20/bin/node"),
  "22.19": join(runtimes, "node22/bin/node"),
  "24": process.execPath,
  "26": join(runtimes, "node26/bin/node"),
} as const;

export const bun = join(runtimes, "@oven/bun-linux-x64/bin/bun");

export const deno = join(tool, "node_modules/@deno/linux-x64-glibc/deno");

export const has = (path: string): boolean => existsSync(path);

/** A new machine: an empty home, and a folder with a project. */
export class Machine {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #node: string;

  private constructor(folder: string, node: string, registry: string) {
    this.#node = node;
    this.home = join(folder, "home");
    this.cwd = join(folder, "project");
    const prefix = join(this.home, ".global");
    this.env = {
      PATH: [join(folder, "bin"), join(prefix, "bin"), dirname(node), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      HOME: this.home,
      TERM: "dumb",
      CI: "1",
      npm_config_prefix: prefix,
      // The packages were published a moment ago.
      pnpm_config_minimum_release_age: "0",
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ""),
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      BUN_CONFIG_REGISTRY: registry,
    };
  }

  /** @param node - The Node of the machine, or another runtime. */
  static async create(folder: string, node: string, registry: string): Promise<Machine> {
    const machine = new Machine(folder, node, registry);
    for (const path of [machine.home, machine.cwd, join(folder, "bin")]) await mkdir(path, { recursive: true });
    await writeFile(join(machine.home, ".npmrc"), `registry=${registry}\naudit=false\nfund=false\nupdate-notifier=false\n`);
    await machine.write("README.md", "# Lighthouse\n\nA lamp for ships.\n");
    await machine.write("package.json", '{ "name": "consumer", "private": true, "type": "module" }\n');
    return machine;
  }

  /** Writes a file of the project. */
  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.cwd, path)), { recursive: true });
    await writeFile(join(this.cwd, path), text);
  }

  /** Writes the answers of a scripted model. Returns its name for `--model`. */
  async script(...answers: object[]): Promise<string> {
    await this.write("script.jsonl", answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
    return "script/script.jsonl";
  }

  /** Runs a program in the project. */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return runProgram(command, args, { cwd: this.cwd, env: { ...this.env, ...env } });
  }

  /** Runs a program that installs packages. Throws with its output if it fails. */
  async manage(name: keyof typeof managers, ...args: string[]): Promise<Finished> {
    const [command = "", ...first] = managers[name](this.#node);
    return succeeded(await this.run(command, [...first, ...args]), `${name} ${args.join(" ")}`);
  }
}

/** Returns how a program has ended, or throws with its output if it failed. */
export function succeeded(finished: Finished, what: string): Finished {
  if (finished.code === 0) return finished;
  throw new Error(`${what} failed with ${finished.code}: ${finished.stderr}${finished.stdout}`);
}
