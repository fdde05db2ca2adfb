import { execFileSync } from "node:child_process";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A registry of packages on this machine. */
export interface Registry {
  /** Its address, with a slash at the end. */
  readonly url: string;
  /** Lets its user publish. */
  readonly token: string;
  close(): void;
}

const require = createRequire(import.meta.url);

/**
 * Starts a registry on loopback. Our own packages exist only if they were published to it; all others come from the registry that npm uses here.
 *
 * @param folder - Where it keeps its packages.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  // Its declarations do not say what it takes.
  const { runServer } = require("verdaccio") as { runServer(config: object): Promise<Server> };
  const own = { access: "$all", publish: "$authenticated" };
  const server = await runServer({
    storage: join(folder, "packages"),
    self_path: folder,
    auth: { htpasswd: { file: join(folder, "users") } },
    uplinks: { npm: { url: upstream(), maxage: "60m", timeout: "60s" } },
    packages: { "@pikit/*": own, pikit: own, "**": { access: "$all", proxy: "npm" } },
    web: { enable: false },
    log: { type: "stdout", level: "fatal" },
    // A tarball with all its files, as npm publish sends it.
    max_body_size: "50mb",
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const token = await addUser(url);
  return {
    ...{ url, token },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The registry that npm uses on this machine. */
function upstream(): string {
  return execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

async function addUser(url: string): Promise<string> {
  const user = { name: "rehearsal", password: "not a secret", type: "user" };
  const response = await fetch(`${url}-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const { token } = (await response.json()) as { token?: unknown };
  if (typeof token !== "string") throw new Error(`The registry made no user: it answered with ${response.status}.`);
  return token;
}
