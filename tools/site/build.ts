// npm run site [-- --serve]: makes the site of docs/ in tools/site/dist, or serves it while pages are written.
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build, createServer } from "vitepress";
import { writeReference } from "./lib/api.ts";
import { brokenLinks } from "./lib/links.ts";
import { copyPages } from "./lib/pages.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, "../..");
const pages = join(folder, "pages");
const { values } = parseArgs({ options: { serve: { type: "boolean", default: false } } });

const { repository } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { repository: { url: string } };
const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

await rm(pages, { recursive: true, force: true });
await mkdir(pages);
await copyPages(root, pages, address);
await writeReference(root, join(pages, "api"), address);
if (values.serve) {
  const server = await createServer(folder);
  await server.listen();
  server.printUrls();
} else {
  await build(folder);
  const broken = await brokenLinks(join(folder, "dist"));
  if (broken.length > 0) {
    console.error(`These links lead nowhere:\n${broken.join("\n")}`);
    process.exitCode = 1;
  }
}
