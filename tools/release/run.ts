// npm run test:release [-- --before <commit>] [-- --only <part>] [-- --keep]: rehearses a release on this machine. It publishes the version before and the
// current one to a registry on loopback, and uses them as users do. Nothing leaves the machine; packages of others come from the npm registry.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Checks } from "../lib/report.ts";
import { checkGlobalInstall, checkInstalls } from "./checks/installs.ts";
import { checkPublished } from "./checks/published.ts";
import { checkReproducible } from "./checks/reproducible.ts";
import { checkTypes } from "./checks/types.ts";
import { Upgrade } from "./checks/upgrade.ts";
import { type Registry, startRegistry } from "./lib/registry.ts";
import { latestRelease, RepositoryCopy } from "./lib/repository.ts";

const parts = ["reproducible", "installs", "global", "types", "upgrade"];
const { values } = parseArgs({
  options: { before: { type: "string" }, only: { type: "string" }, keep: { type: "boolean", default: false } },
});
if (values.only !== undefined && !parts.includes(values.only)) {
  console.error(`--only is "${values.only}": expected one of ${parts.join(", ")}.`);
  process.exit(2);
}
const wants = (part: string): boolean => values.only === undefined || values.only === part;

const folder = await mkdtemp(join(tmpdir(), "pi-release-"));
const checks = new Checks("Rehearsal of the release", "", "");
try {
  if (wants("reproducible")) await checkBuilds();
  if (values.only !== "reproducible") {
    const registry = await startRegistry(join(folder, "registry"));
    await rehearse(registry);
    registry.close();
  }
} finally {
  if (values.keep) console.error(`\nEverything is in ${folder}.`);
  else await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
const { passed, failed } = checks.result;
console.log(`\n${passed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

async function checkBuilds(): Promise<void> {
  const first = await RepositoryCopy.create(join(folder, "first"));
  const second = await RepositoryCopy.create(join(folder, "second-with-another-name"));
  await checkReproducible(checks, first, second);
}

/** Publishes the version before and the current one, and checks what users get. */
async function rehearse(registry: Registry): Promise<void> {
  const ref = values.before ?? (await latestRelease());
  console.error(`  The version before is ${ref ?? "the current code, as no release exists yet"}.`);
  const upgrade = await Upgrade.create(folder, registry.url);
  const earlier = await RepositoryCopy.create(join(folder, "before"), ref);
  const before = await publish(earlier, registry);
  if (wants("upgrade")) await upgrade.before(checks, before);
  const repository = ref === undefined ? earlier : await RepositoryCopy.create(join(folder, "current"));
  const version = await publish(repository, registry, before);
  await checkPublished(checks, registry, await repository.packages(), folder);
  if (wants("upgrade")) await upgrade.after(checks, version);
  if (wants("global")) await checkGlobalInstall(checks, folder, registry.url, version);
  if (wants("installs")) await checkInstalls(checks, folder, registry.url, version);
  if (wants("types")) await checkTypes(checks, folder, registry.url);
}

/** Publishes what a repository has. @returns The version of the command, which is not `before`. */
async function publish(repository: RepositoryCopy, registry: Registry, before?: string): Promise<string> {
  const versionOf = async () => (await repository.packages())["@pikit/coding-agent"]?.version ?? "";
  await repository.version();
  if ((await versionOf()) === before) {
    await repository.addChangeset("A change that only the rehearsal makes.");
    await repository.version();
  }
  const version = await versionOf();
  console.error(`  Building and publishing ${version} …`);
  await repository.publish(registry);
  return version;
}
