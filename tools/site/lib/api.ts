import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

/** A published entry point: `name` as it is imported, `source` in the repository. */
export interface EntryPoint {
  name: string;
  source: string;
}

/** The entry points with types that others may import, of all published packages. */
export async function entryPoints(root: string): Promise<EntryPoint[]> {
  const found: EntryPoint[] = [];
  for (const folder of await readdir(join(root, "packages"))) {
    const text = await readFile(join(root, "packages", folder, "package.json"), "utf8");
    const manifest = JSON.parse(text) as { name: string; private?: boolean; exports?: Record<string, unknown> };
    if (manifest.private) continue;
    for (const [path, target] of Object.entries(manifest.exports ?? {})) {
      const source = (target as { "pikit-source"?: string })["pikit-source"];
      if (source === undefined || path.includes("*")) continue;
      found.push({ name: join(manifest.name, path), source: join(root, "packages", folder, source) });
    }
  }
  return found;
}

/**
 * Writes a page for each export, from its docstring.
 *
 * @throws {Error} When the sources cannot be read, or a link of a docstring leads nowhere.
 */
export async function writeReference(root: string, target: string, address: string): Promise<void> {
  const points = await entryPoints(root);
  const options: TypeDocOptions & PluginOptions = {
    entryPoints: points.map(({ source }) => source),
    tsconfig: join(root, "tools/site/tsconfig.json"),
    plugin: ["typedoc-plugin-markdown"],
    name: "Reference",
    out: target,
    basePath: root,
    readme: "none",
    disableGit: true,
    gitRevision: "main",
    sourceLinkTemplate: `${address}/blob/main/{path}#L{line}`,
    excludeInternal: true,
    excludePrivate: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    entryFileName: "index",
    useCodeBlocks: true,
    logLevel: "Warn",
  };
  const application = await Application.bootstrapWithPlugins(options as TypeDocOptions);
  const project = await application.convert();
  if (!project || application.logger.hasErrors()) throw new Error("The reference could not be made, see above.");
  for (const module of project.children ?? []) {
    const file = module.sources?.[0]?.fullFileName;
    const point = points.find(({ source }) => source === file);
    if (!point) throw new Error(`${module.name} (${file}) is no entry point.`);
    module.name = point.name;
  }
  await application.generateOutputs(project);
}
