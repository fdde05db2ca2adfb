import { readdir, readFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const decode = (text: string): string =>
  decodeURIComponent(text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? ""));

/**
 * Checks all links between the pages of a built site, with the headings that they name.
 *
 * @param folder - The built site, with pages such as `cli.html`, whose addresses have no ending.
 * @returns The broken links, as `page: link`.
 */
export async function brokenLinks(folder: string): Promise<string[]> {
  const files = new Set((await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/")));
  const pages = new Map<string, { ids: Set<string>; links: string[] }>();
  for (const file of files) {
    if (!file.endsWith(".html")) continue;
    const text = await readFile(join(folder, file), "utf8");
    const ids = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => decode(id)));
    const links = [...text.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].map(([, link = ""]) => decode(link));
    pages.set(file, { ids, links });
  }
  return [...pages].flatMap(([file, { links }]) => {
    const broken = new Set(links.filter((link) => !leadsSomewhere(link, file)));
    return [...broken].map((link) => `${file}: ${link}`);
  });

  function leadsSomewhere(link: string, from: string): boolean {
    if (/^[a-z]+:/.test(link)) return true;
    const [path = "", hash = ""] = link.split("#");
    const target = path === "" ? from : posix.join(path.startsWith("/") ? "" : dirname(from), path.replace(/^\//, ""));
    const found = [target, `${target}.html`, posix.join(target, "index.html")].find((name) => files.has(name) && !isFolder(name));
    if (found === undefined) return false;
    return hash === "" || !pages.has(found) || pages.get(found)?.ids.has(hash) === true;
  }

  function isFolder(name: string): boolean {
    return files.has(`${name}/index.html`);
  }
}
