import { equal, match, ok } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Checks } from "../../lib/report.ts";
import { runProgram } from "../../lib/run-program.ts";
import type { Registry } from "../lib/registry.ts";
import type { Published } from "../lib/repository.ts";

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  dist: { tarball: string };
}

/** Checks what the registry has of each package: its version, what it depends on, and the files that a reader looks for. */
export async function checkPublished(
  checks: Checks,
  { url }: Registry,
  packages: Readonly<Record<string, Published>>,
  folder: string,
): Promise<void> {
  for (const [name, { version }] of Object.entries(packages)) {
    await checks.check(
      `${name}@${version} is in the registry, without versions of the workspace, and with its changelog`,
      async () => {
        const response = await fetch(url + name.replace("/", "%2f"));
        const { "dist-tags": tags, versions } = (await response.json()) as {
          "dist-tags": Record<string, string>;
          versions: Record<string, Manifest>;
        };
        equal(tags.latest, version);
        const manifest = versions[version];
        ok(manifest, `${version} is missing`);
        const { dependencies, peerDependencies, optionalDependencies } = manifest;
        const ranges = { ...dependencies, ...peerDependencies, ...optionalDependencies };
        for (const [other, range] of Object.entries(ranges)) {
          const ours = packages[other];
          // Workspace versions are written as `^1.2.3` or, for packages that share private files, as `1.2.3`.
          if (ours) ok([ours.version, `^${ours.version}`].includes(range), `it needs ${other} ${range}`);
          else ok(!range.includes("workspace:"), `it needs ${other} ${range}`);
        }
        const texts = await unpack(manifest.dist.tarball, `${folder}/${name.replace("/", "-")}.tgz`);
        match(texts.changelog, new RegExp(`^## ${version.replaceAll(".", "\\.")}$`, "m"));
        ok(!/\]\((?!https?:|#)/.test(texts.readme), "its README has a link that leads nowhere outside the repository");
        ok(texts.license.length > 500, "it has no licence");
      },
    );
  }
}

/** The texts that come with a package. */
async function unpack(address: string, file: string): Promise<{ changelog: string; readme: string; license: string }> {
  const cwd = "/";
  const env = { PATH: process.env.PATH ?? "" };
  await writeFile(file, Buffer.from(await (await fetch(address)).arrayBuffer()));
  const read = async (name: string) => (await runProgram("tar", ["-xzOf", file, `package/${name}`], { cwd, env })).stdout;
  return { changelog: await read("CHANGELOG.md"), readme: await read("README.md"), license: await read("LICENSE") };
}
