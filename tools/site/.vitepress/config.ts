import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { sections } from "../lib/sections.ts";

const pages = join(import.meta.dirname, "../pages");
const description = "A coding agent as a base for other software.";

/** The title of a page: its first heading. */
function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(pages, `${page}.md`), "utf8"))?.[1] ?? page;
}

const guide = Object.entries(sections).map(([text, names]) => ({
  text,
  items: names.map((name) => ({ text: titleOf(name), link: `/${name}` })),
}));

/** The entry points of the packages: folders of the reference with a page that lists what they export. */
const reference: DefaultTheme.SidebarItem[] = readdirSync(join(pages, "api"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.startsWith("@") && file.endsWith("/index.md"))
  .map((file) => file.slice(0, -"/index.md".length))
  .sort()
  .map((name) => ({ text: name, link: `/api/${name}/` }));

export default defineConfig({
  title: "pikit",
  description,
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  lastUpdated: false,
  // Pages are plain Markdown: what looks like a template or an element is text.
  markdown: { html: false },
  vite: {
    plugins: [llmstxt({ description, ignoreFiles: ["api/**"], sidebar: guide, injectLLMHint: false })],
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Guide", link: "/cli" },
      { text: "Reference", link: "/api/" },
    ],
    sidebar: { "/api/": [{ text: "Packages", items: reference }], "/": guide },
    outline: [2, 3],
  },
});
