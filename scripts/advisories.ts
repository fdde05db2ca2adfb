// npm run advisories [-- file …]: asks the registry whether it knows advisories for the third-party code in our files, which npm audit cannot see.
// Reads bills of materials in CycloneDX. Default: those of the built packages. Prints each advisory, and ends with 1 if there is one,
// and with 2 if the registry could not be asked.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";

interface Component {
  group?: string;
  name: string;
  version: string;
}

/** An advisory, as the registry describes it. */
interface Advisory {
  title: string;
  severity: string;
  url: string;
  vulnerable_versions: string;
}

const limitMs = 60_000;

/** The files of the built packages. */
function builtFiles(): string[] {
  const packages = join(import.meta.dirname, "../packages");
  return readdirSync(packages)
    .map((name) => join(packages, name, "dist/sbom.cdx.json"))
    .filter((file) => existsSync(file));
}

/** The versions of each package, by its name. */
function readVersions(files: readonly string[]): Record<string, string[]> {
  const versions: Record<string, Set<string>> = {};
  for (const file of files) {
    const { components = [] } = JSON.parse(readFileSync(file, "utf8")) as { components?: Component[] };
    for (const { group, name, version } of components) {
      const key = group === undefined ? name : `${group}/${name}`;
      versions[key] ??= new Set();
      versions[key].add(version);
    }
  }
  return Object.fromEntries(Object.entries(versions).map(([name, set]) => [name, [...set].sort()]));
}

/** Asks a registry. @throws {Error} When it cannot be reached or knows no advisories. */
async function ask(registry: string, versions: Readonly<Record<string, string[]>>): Promise<Record<string, Advisory[]>> {
  const url = new URL("-/npm/v1/security/advisories/bulk", registry);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(versions),
    signal: AbortSignal.timeout(limitMs),
  });
  if (response.ok) return (await response.json()) as Record<string, Advisory[]>;
  throw new Error(
    `${registry} answers with ${response.status} when it is asked for advisories. Set npm_config_registry to one that has them.`,
  );
}

const files = process.argv.length > 2 ? process.argv.slice(2) : builtFiles();
if (files.length === 0) {
  console.error("There is no bill of materials: run npm run build first, or name files.");
  process.exit(2);
}
const versions = readVersions(files);
const registry = execFileSync("npm", ["config", "get", "registry"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
}).trim();
try {
  const found = Object.entries(await ask(registry, versions)).flatMap(([name, advisories]) =>
    advisories.flatMap(({ title, severity, url, vulnerable_versions: range }) =>
      (versions[name] ?? []).flatMap((version) =>
        satisfies(version, range) ? [`${name} ${version}: ${severity}: ${title} (${url})`] : [],
      ),
    ),
  );
  console.log(found.join("\n") || `No advisory for ${Object.keys(versions).length} packages.`);
  process.exitCode = found.length === 0 ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
