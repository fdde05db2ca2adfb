import { join } from "node:path";
import { pathToFileURL } from "node:url";

const packageFolder = join(import.meta.dirname, "../..");

/** Builds the page from the sources. @param folder - Where its files go. */
export async function buildPage(folder: string): Promise<void> {
  const script = pathToFileURL(join(packageFolder, "../../scripts/bundle/page.mjs")).href;
  const { buildPage: build } = (await import(script)) as { buildPage: (from: string, to: string) => Promise<unknown> };
  await build(packageFolder, folder);
}
