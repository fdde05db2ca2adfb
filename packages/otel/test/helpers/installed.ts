import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "../../../coding-agent/test/helpers/workspace.ts";

const thisPackage = fileURLToPath(new URL("../..", import.meta.url));

/** Installs this package where `pi` looks for it. */
export async function install({ agentDir }: Workspace): Promise<void> {
  const modules = join(agentDir, "node_modules/@pikit");
  await mkdir(modules, { recursive: true });
  await symlink(thisPackage, join(modules, "otel"));
}
