import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { Workspace } from "./workspace.ts";

interface Published {
  manifest: { name: string; version: string; [field: string]: unknown };
  tarball: Buffer;
}

/** A registry of npm packages on this machine, for the real npm. */
export class NpmRegistry {
  /** The paths that npm has asked for. */
  readonly requests: string[] = [];
  readonly #workspace: Workspace;
  readonly #server: Server;
  readonly #published: Published[] = [];

  private constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? "/").slice(1);
      this.requests.push(path);
      const answer = this.#answer(path);
      response.writeHead(answer === undefined ? 404 : 200).end(answer ?? "{}");
    });
  }

  /** Starts a registry; it ends with the test. */
  static async start(workspace: Workspace): Promise<NpmRegistry> {
    const registry = new NpmRegistry(workspace);
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      registry.#server.closeAllConnections();
      registry.#server.close();
    });
    return registry;
  }

  /** Lets npm use this registry only, and a cache of its own. */
  get env(): NodeJS.ProcessEnv {
    return {
      npm_config_registry: this.#address,
      npm_config_cache: join(this.#workspace.root, "npm-cache"),
      npm_config_fetch_retries: "0",
    };
  }

  /** Publishes a package; its latest version is the one that was published last. */
  async publish(manifest: Published["manifest"], files: Record<string, string>): Promise<void> {
    const folder = `published/${manifest.name.replace("/", "-")}-${manifest.version}`;
    await this.#workspace.write(`${folder}/package/package.json`, manifest);
    for (const [path, content] of Object.entries(files)) await this.#workspace.write(`${folder}/package/${path}`, content);
    const tarball = join(this.#workspace.root, folder, "package.tgz");
    await promisify(execFile)("tar", ["-czf", tarball, "-C", join(this.#workspace.root, folder), "package"]);
    this.#published.push({ manifest, tarball: await readFile(tarball) });
  }

  get #address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  #answer(path: string): string | Buffer | undefined {
    const tarball = this.#published.find(({ manifest }) => path === tarballPath(manifest))?.tarball;
    if (tarball) return tarball;
    const versions = this.#published.filter(({ manifest }) => manifest.name === path);
    const latest = versions.at(-1)?.manifest.version;
    if (latest === undefined) return undefined;
    const listed = versions.map(({ manifest, tarball }) => {
      const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
      const hasInstallScript = typeof manifest.scripts === "object";
      const dist = { tarball: this.#address + tarballPath(manifest), integrity };
      return [manifest.version, { ...manifest, dist, ...(hasInstallScript ? { hasInstallScript } : {}) }];
    });
    return JSON.stringify({ name: path, "dist-tags": { latest }, versions: Object.fromEntries(listed) });
  }
}

function tarballPath({ name, version }: Published["manifest"]): string {
  return `-/${name}-${version}.tgz`;
}
