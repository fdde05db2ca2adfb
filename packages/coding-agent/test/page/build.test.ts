import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useTempFolder } from "../exec/temp-folder.ts";
import { buildPage } from "./build-page.ts";

const folder = useTempFolder();

test("the page is three files, its script is under 115 kB, and nothing in them is inline or from elsewhere", async () => {
  await buildPage(folder.path);
  const sizeOf = async (name: string) => (await stat(join(folder.path, name))).size;
  expect(await sizeOf("page.js.gz")).toBeLessThan(115_000);
  expect(await sizeOf("page.css")).toBeLessThan(20_000);
  const html = await readFile(join(folder.path, "index.html"), "utf8");
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses).toEqual(["data:,", "/page.css", "/page.js"]);
  expect(html).not.toMatch(/<style| style=|<script>| on\w+=/);
  expect(await readFile(join(folder.path, "page.css"), "utf8")).not.toMatch(/url\(|@import/);
});
