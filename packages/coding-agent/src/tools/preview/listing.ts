import type { DirectoryEntry } from "../files/file-access.ts";
import { isHidden } from "./find-served.ts";

const maxEntries = 2000;

/**
 * Creates an HTML page that lists a folder.
 *
 * @param urlPath - The path of the folder in the request; ends with a slash.
 */
export function createListing(urlPath: string, entries: readonly DirectoryEntry[]): string {
  const visible = entries.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const links = visible.slice(0, maxEntries).map(({ name, type }) => {
    const slash = type === "directory" ? "/" : "";
    return `<li><a href="./${encodeURIComponent(name)}${slash}">${escapeHtml(name)}${slash}</a></li>`;
  });
  if (urlPath !== "/") links.unshift('<li><a href="../">..</a></li>');
  if (visible.length > maxEntries) links.push(`<li>and ${visible.length - maxEntries} more</li>`);
  const title = escapeHtml(decodeTitle(urlPath));
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${title}</title>\n<h1>${title}</h1>\n<ul>\n${links.join("\n")}\n</ul>\n`;
}

function decodeTitle(urlPath: string): string {
  try {
    return decodeURIComponent(urlPath);
  } catch {
    // Not percent-encoded UTF-8: shown unchanged.
    return urlPath;
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
