import { closeSync } from "node:fs";
import { ToolError } from "@pikit/agent";
import type { SandboxSettings } from "../config/sandbox-modes.ts";
import { UsageError } from "../errors.ts";
import type { CommandContainer, ContainedStart, EnteredCommand } from "../exec/container.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { type Bubblewrap, bubblewrapArguments } from "./bubblewrap.ts";
import { sandboxEnvironment } from "./environment.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { guardFiles } from "./guarded-files.ts";
import { realPathOf } from "./look.ts";
import { coverMissing, removeForbidden } from "./missing-places.ts";
import { findNestedRepositories, findPlaces, type SandboxPlaces } from "./places.ts";
import { describeRefusal } from "./refusals.ts";
import { TemporaryFolder } from "./temporary-folder.ts";

/** Maximum domains that are named to the model. */
const maxNamed = 20;

export interface SandboxOptions {
  settings: SandboxSettings;
  agentDir: string;
  /** The home folder, whose secrets are hidden. Default: that of the user of this process. */
  home?: string | undefined;
  /** The working folder of the session, absolute. It may change. */
  cwd(): string;
  /** Called once if commands run without a sandbox, and for files that the sandbox has removed. */
  report(problem: string): void;
}

/** How commands get into the sandbox on this machine. */
interface Way {
  enter(start: ContainedStart, places: SandboxPlaces): Promise<Omit<EnteredCommand, "explain">>;
  /** Whether commands see the temporary folder of the session as /tmp. */
  hasOwnTemporary: boolean;
}

/** The sandbox of a session: its commands, and the files of its tools. */
export class Sandbox implements CommandContainer {
  readonly #options: SandboxOptions;
  #temporary: TemporaryFolder | undefined;
  #way: Promise<Way | undefined> | undefined;
  #nested: { folder: string; found: string[] } | undefined;
  readonly #hasOwnTemporary = process.platform === "linux";

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /**
   * Finds what the sandbox needs.
   *
   * @throws {UsageError} `sandbox_unavailable` if the mode is `require` and something is missing.
   */
  async prepare(): Promise<void> {
    try {
      await this.#findWay();
    } catch (error) {
      throw new UsageError("sandbox_unavailable", (error as Error).message);
    }
  }

  /** @throws {ToolError} `sandbox_unavailable` if the mode is `require` and something is missing. */
  async enter(start: ContainedStart): Promise<EnteredCommand> {
    const way = await this.#findWay();
    if (!way) return outside(start);
    const places = this.places();
    const entered = await way.enter(start, places);
    const network = this.#options.settings.network ?? false;
    return { ...entered, explain: (output) => describeRefusal(output, { writable: places.writable, network }) };
  }

  /** Whether commands run in the sandbox. */
  async isActive(): Promise<boolean> {
    return (await this.#findWay().catch(() => "required")) !== undefined;
  }

  /** Whether commands can reach other machines, if only some. */
  get hasNetwork(): boolean {
    const { network = false } = this.#options.settings;
    return Array.isArray(network) ? network.length > 0 : network === true;
  }

  /** What commands can do, for the model. */
  get description(): string {
    const { network = false } = this.#options.settings;
    const reached = Array.isArray(network) ? `can reach only ${network.slice(0, maxNamed).join(", ")}` : "have no network";
    const limits = `they can write only in the working folder and in /tmp${network === true ? "" : `, ${reached}`}, and cannot read keys`;
    return `Commands run in a sandbox: ${limits}. Git hooks and settings, .pi and settings of editors cannot be changed.`;
  }

  /** What is allowed on disk now. */
  places(): SandboxPlaces {
    const { settings, agentDir, home, cwd } = this.#options;
    const folder = realPathOf(cwd()) ?? cwd();
    if (this.#nested?.folder !== folder) this.#nested = { folder, found: findNestedRepositories(folder) };
    this.#temporary ??= new TemporaryFolder();
    return findPlaces({ cwd: folder, temporary: this.#temporary.path, agentDir, home, settings, nested: this.#nested.found });
  }

  /** The files for tools. */
  guard(files: FileAccess): FileAccess {
    return guardFiles(files, { places: () => this.places(), hasOwnTemporary: this.#hasOwnTemporary });
  }

  /** Removes the temporary folder. Called after the last command has ended. Never rejects. */
  async stop(): Promise<void> {
    await this.#temporary?.remove();
    this.#temporary = undefined;
  }

  /** @returns undefined if commands run without a sandbox. */
  #findWay(): Promise<Way | undefined> {
    this.#way ??= this.#tryWay().catch((error: Error) => {
      if (this.#options.settings.mode === "require") {
        this.#way = undefined;
        throw new ToolError("sandbox_unavailable", `Commands do not run without the required sandbox: ${error.message}.`);
      }
      this.#options.report(`Commands run without a sandbox: ${error.message}.`);
      return undefined;
    });
    return this.#way;
  }

  async #tryWay(): Promise<Way> {
    const { settings, cwd, agentDir } = this.#options;
    const { network = false } = settings;
    if ((realPathOf(cwd()) ?? cwd()) === "/") throw new Error("the working folder is /, so it would contain nothing");
    if (process.platform !== "linux" || Array.isArray(network)) {
      const { RuntimePackage } = await import("./runtime-package.ts");
      return RuntimePackage.open({ agentDir, domains: Array.isArray(network) ? network : [], hasNetwork: network === true });
    }
    const bubblewrap = await findBubblewrap({ cwd: cwd(), searchPath: process.env.PATH });
    return { hasOwnTemporary: true, enter: async (start, places) => this.#enterBubblewrap(bubblewrap, start, places) };
  }

  #enterBubblewrap(bubblewrap: Bubblewrap, { command, cwd, env }: ContainedStart, places: SandboxPlaces) {
    const hasNetwork = this.#options.settings.network === true;
    const { made, uncover } = coverMissing(places.missing);
    const fd = this.#temporary?.openFilter();
    const args = bubblewrapArguments(bubblewrap, {
      ...{ places: { ...places, missing: made }, hasNetwork, hasFilter: fd !== undefined },
      cwd: realPathOf(cwd) ?? cwd,
    });
    return {
      command: [bubblewrap.program, ...args, ...command] as [string, ...string[]],
      env: sandboxEnvironment(env, "/tmp"),
      fd,
      started() {
        if (fd !== undefined) closeSync(fd);
      },
      leave: () => {
        uncover();
        this.#removeForbidden(places);
      },
    };
  }

  #removeForbidden({ forbidden }: SandboxPlaces): void {
    for (const path of removeForbidden(forbidden)) {
      this.#options.report(`A command has made ${path}, with which Git would run programs. It was removed.`);
    }
  }
}

/** A command without a sandbox. */
function outside({ command: [program, ...args], env }: ContainedStart): EnteredCommand {
  return { command: [program, ...args], env, fd: undefined, started() {}, leave() {}, explain: () => undefined };
}
