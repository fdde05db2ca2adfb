import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, resolve } from "node:path";
import { sections } from "./sections.ts";

/** A link of Markdown outside code: its text up to the address, and the address. */
const linkPattern = /(\]\()([^)\s]+)(?=\))/g;

/**
 * Copies the pages of docs/. A link to another file of the repository leads to its address on the web, since the site has only pages.
 *
 * @param root - The repository.
 * @param address - Where the files of the repository are shown, such as `https://github.com/owner/name`.
 * @throws {Error} When a page is in no section, or a link leads to no file.
 */
export async function copyPages(root: string, target: string, address: string): Promise<void> {
  const docs = join(root, "docs");
  const files = (await readdir(docs, { recursive: true })).filter((file) => file.endsWith(".md"));
  const listed = new Set(Object.values(sections).flat());
  const lost = files.filter((file) => !/[/\\]|^index\.md$/.test(file) && !listed.has(file.replace(/\.md$/, "")));
  if (lost.length > 0) throw new Error(`These pages are in no section of tools/site/lib/sections.ts: ${lost.join(", ")}.`);
  for (const file of files) {
    const page = join(target, file);
    await mkdir(dirname(page), { recursive: true });
    await writeFile(page, await withWebLinks(await readFile(join(docs, file), "utf8"), { root, file: join(docs, file), address }));
  }
  await mkdir(join(target, "public"), { recursive: true });
  for (const name of ["settings.schema.json"]) await cp(join(docs, name), join(target, "public", name));
}

async function withWebLinks(text: string, place: { root: string; file: string; address: string }): Promise<string> {
  const parts = await Promise.all(
    // Fenced code keeps its text.
    text.split(/^(```.*?^```)$/ms).map(async (part) => {
      if (part.startsWith("```")) return part;
      let changed = part;
      for (const [link = "", start = "", given = ""] of part.matchAll(linkPattern)) {
        const found = await webAddress(given, place);
        if (found !== undefined) changed = changed.replace(`${link})`, `${start}${found})`);
      }
      return changed;
    }),
  );
  return parts.join("");
}

/** The address on the web of what a link leads to; undefined if it is on the site already. */
async function webAddress(
  given: string,
  { root, file, address }: { root: string; file: string; address: string },
): Promise<string | undefined> {
  if (/^(https?:|mailto:|#)/.test(given)) return undefined;
  const [path = "", hash] = given.split("#");
  const target = resolve(dirname(file), path);
  const found = await stat(target).catch(() => undefined);
  if (!found) throw new Error(`${relative(root, file)} has a link to ${given}, which does not exist.`);
  const inside = relative(join(root, "docs"), target);
  if (!inside.startsWith("..") && inside.endsWith(".md")) return undefined;
  const kind = found.isDirectory() ? "tree" : "blob";
  return `${address}/${kind}/main/${posix.join(...relative(root, target).split(/[/\\]/))}${hash === undefined ? "" : `#${hash}`}`;
}
