import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finished, runProgram } from "../../lib/run-program.ts";
import type { Registry } from "./registry.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** The maximum of an install or a build, in milliseconds. */
const stepMs = 10 * 60_000;

/** What is published, by name. */
export interface Published {
  version: string;
  /** The folder of the package in the repository. */
  folder: string;
}

/** A copy of the repository, in which a release changes versions and makes tags. */
export class RepositoryCopy {
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: string, home: string) {
    this.folder = folder;
    this.#env = {
      PATH: [join(folder, "node_modules/.bin"), dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
      HOME: home,
      TURBO_TELEMETRY_DISABLED: "1",
      CI: "1",
    };
  }

  /**
   * Copies the repository and installs what its build needs.
   *
   * @param folder - The folder of the copy, which is created.
   * @param ref - The commit. Default: the files of the working tree that are not ignored.
   */
  static async create(folder: string, ref?: string): Promise<RepositoryCopy> {
    const home = `${folder}-home`;
    for (const path of [folder, home]) await mkdir(path, { recursive: true });
    const copy = new RepositoryCopy(folder, home);
    if (ref === undefined) await copyWorkingTree(folder);
    else await copyCommit(folder, ref);
    // Changesets looks for the commit of each changeset, and publishing makes a tag.
    await copy.#must("git", ["init", "--quiet", "--initial-branch=main"]);
    await copy.#must("git", ["config", "user.name", "rehearsal"]);
    await copy.#must("git", ["config", "user.email", "rehearsal@localhost"]);
    await copy.commit("The state before the release");
    // The store of the user has what the repository needs already.
    const install = ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=silent", "--filter=!./tools/*"];
    await copy.#must(join(root, "node_modules/.bin/pnpm"), install, { HOME: process.env.HOME ?? home });
    return copy;
  }

  /** Writes a changeset for all packages. */
  async addChangeset(text: string): Promise<void> {
    const names = Object.keys(await this.packages());
    const lines = names.map((name) => `${JSON.stringify(name)}: patch\n`).join("");
    await writeFile(join(this.folder, ".changeset/rehearsal.md"), `---\n${lines}---\n\n${text}\n`);
  }

  /** Runs `changeset version`, as the release does, and commits its changes. Does nothing without changesets, which is an error there. */
  async version(): Promise<void> {
    if (!(await readdir(join(this.folder, ".changeset"))).some((file) => file.endsWith(".md"))) return;
    await this.#must("changeset", ["version"]);
    await this.commit("Version packages");
  }

  /** Builds all packages, whatever was built before. */
  async build(): Promise<void> {
    await this.#must("turbo", ["run", "build", "--force", "--output-logs=errors-only"]);
  }

  /** Runs `npm run release` with a registry. */
  async publish({ url, token }: Registry): Promise<Finished> {
    const npmrc = `registry=${url}\n${url.slice("http:".length)}:_authToken=${token}\n`;
    await writeFile(join(this.#env.HOME ?? "", ".npmrc"), npmrc);
    return this.#must("npm", ["run", "release"], { npm_config_registry: url });
  }

  /** The packages that are published. */
  async packages(): Promise<Record<string, Published>> {
    const found: Record<string, Published> = {};
    for (const name of await readdir(join(this.folder, "packages"))) {
      const folder = join(this.folder, "packages", name);
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
      if (manifest.private !== true) found[String(manifest.name)] = { version: String(manifest.version), folder };
    }
    return found;
  }

  async commit(message: string): Promise<void> {
    await this.#must("git", ["add", "--all"]);
    await this.#must("git", ["commit", "--quiet", "--message", message]);
  }

  async #must(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return must(command, args, { cwd: this.folder, env: { ...this.#env, ...more } });
  }
}

/** The latest tag of a release; undefined before the first one. */
export async function latestRelease(): Promise<string | undefined> {
  const tags = ["tag", "--list", "@pikit/coding-agent@*", "--sort=-version:refname"];
  const { stdout } = await must("git", tags, { cwd: root, env: process.env as Record<string, string> });
  return stdout.split("\n")[0] || undefined;
}

async function copyWorkingTree(folder: string): Promise<void> {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await must("git", list, { cwd: root, env: process.env as Record<string, string> });
  for (const file of stdout.split("\0")) {
    if (file === "") continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    // A file that was deleted and not committed is listed, too.
    await cp(join(root, file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function copyCommit(folder: string, ref: string): Promise<void> {
  const archive = `${folder}.tar`;
  const env = process.env as Record<string, string>;
  await must("git", ["archive", "--format=tar", `--output=${archive}`, ref], { cwd: root, env });
  await must("tar", ["-xf", archive, "-C", folder], { cwd: root, env });
}

async function must(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Finished> {
  const finished = await runProgram(command, args, { ...options, timeoutMs: stepMs });
  if (finished.code === 0) return finished;
  throw new Error(`${command} ${args.join(" ")} failed with ${finished.code}:\n${finished.stdout}${finished.stderr}`);
}
