import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContainedStart, EnteredCommand } from "../exec/container.ts";
import { sandboxEnvironment } from "./environment.ts";
import type { SandboxPlaces } from "./places.ts";

const packageName = "@anthropic-ai/sandbox-runtime";

/** The part of the package that is used. */
interface RuntimeManager {
  initialize(config: RuntimeConfig): Promise<void>;
  checkDependencies(ripgrep: { command: string } | undefined): { errors: string[] };
  isSupportedPlatform(): boolean;
  wrapWithSandbox(command: string, shell: string, config: Partial<RuntimeConfig>): Promise<string>;
  cleanupAfterCommand(): void;
}

/** The configuration of the package: see its `SandboxRuntimeConfig`. */
interface RuntimeConfig {
  network: { allowedDomains: string[]; deniedDomains: string[]; allowLocalBinding: boolean };
  filesystem: { denyRead: string[]; allowRead: string[]; allowWrite: string[]; denyWrite: string[] };
  /** The ripgrep that looks for protected files. */
  ripgrep?: { command: string };
}

interface RuntimeOptions {
  /** The folder whose `node_modules` may have the package. */
  agentDir: string;
  domains: readonly string[];
  hasNetwork: boolean;
}

/** The domains that the package has been started with. It serves one list in a process. */
let started: { domains: string; manager: Promise<RuntimeManager> } | undefined;

/** Sandboxes of `@anthropic-ai/sandbox-runtime`: for lists of domains, and for macOS. */
export class RuntimePackage {
  readonly hasOwnTemporary = false;
  readonly #manager: RuntimeManager;
  readonly #options: RuntimeOptions;

  private constructor(manager: RuntimeManager, options: RuntimeOptions) {
    this.#manager = manager;
    this.#options = options;
  }

  /** @throws {Error} The message says what is missing, as the end of a sentence. */
  static async open(options: RuntimeOptions): Promise<RuntimePackage> {
    if (options.hasNetwork) {
      throw new Error("on this system the network can be off, or a list of domains, but not on without a limit");
    }
    const domains = JSON.stringify(options.domains);
    if (started && started.domains !== domains) {
      throw new Error("another session of this process uses another list of domains; use the same list, or another process");
    }
    started ??= { domains, manager: start(options) };
    try {
      return new RuntimePackage(await started.manager, options);
    } catch (error) {
      started = undefined;
      throw error;
    }
  }

  async enter({ command, env }: ContainedStart, places: SandboxPlaces): Promise<Omit<EnteredCommand, "explain">> {
    const own = ["TMPDIR", "TMP", "TEMP"].map((name) => `${name}=${quote(places.temporary)}`).join(" ");
    // Inside, because the package sets another temporary folder.
    const line = `export ${own}; exec ${command.map(quote).join(" ")}`;
    const wrapped = await this.#manager.wrapWithSandbox(line, "/bin/bash", toConfig(places, this.#options));
    return {
      command: ["/bin/bash", "-c", wrapped],
      env: sandboxEnvironment(env, places.temporary),
      fd: undefined,
      started() {},
      leave: () => this.#manager.cleanupAfterCommand(),
    };
  }
}

/**
 * Translates what a sandbox allows into the configuration of the package.
 *
 * @internal Exported for its tests.
 */
export function toConfig(places: SandboxPlaces, { domains }: Pick<RuntimeOptions, "domains">): RuntimeConfig {
  return {
    network: { allowedDomains: [...domains], deniedDomains: [], allowLocalBinding: false },
    filesystem: {
      denyRead: [...places.hidden],
      allowRead: [...places.readable],
      allowWrite: [...places.writable, places.temporary],
      denyWrite: [...places.fixed, ...places.missing, ...places.forbidden],
    },
  };
}

async function start({ agentDir, domains }: RuntimeOptions): Promise<RuntimeManager> {
  const manager = await loadPackage(agentDir);
  if (!manager.isSupportedPlatform()) throw new Error(`there is no sandbox for ${process.platform}`);
  // On macOS it needs none.
  const ripgrep = process.platform === "linux" ? { command: (await import("@vscode/ripgrep")).rgPath } : undefined;
  const { errors } = manager.checkDependencies(ripgrep);
  if (errors.length > 0) throw new Error(`${packageName} needs something that is missing (${errors.join(", ")})`);
  await manager.initialize({
    network: { allowedDomains: [...domains], deniedDomains: [], allowLocalBinding: false },
    filesystem: { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] },
    ...(ripgrep && { ripgrep }),
  });
  return manager;
}

async function loadPackage(agentDir: string): Promise<RuntimeManager> {
  const file = findPackage(agentDir);
  if (file === undefined) {
    throw new Error(
      `it needs the package ${packageName}, which is not installed; run: npm install --prefix ${agentDir} ${packageName}`,
    );
  }
  const { SandboxManager } = (await import(pathToFileURL(file).href)) as { SandboxManager?: RuntimeManager };
  if (SandboxManager === undefined) throw new Error(`${packageName} in ${file} is of a version that pi does not know`);
  return SandboxManager;
}

function findPackage(agentDir: string): string | undefined {
  // The path of a file that need not exist: packages are searched from its folder upwards.
  for (const from of [import.meta.url, join(agentDir, "package.json")]) {
    try {
      return createRequire(from).resolve(packageName);
    } catch {
      // Not installed here.
    }
  }
  return undefined;
}

/** An argument for a POSIX shell. */
function quote(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}
