import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { addressOf, documentsWithLinks, type Manifest, manifestPaths, ownerFields } from "../../../scripts/manifests/owner.ts";

const folder = fileURLToPath(new URL("../../..", import.meta.url));
const readManifest = (path: string, from = folder): Manifest => JSON.parse(readFileSync(join(from, path), "utf8"));
const root = readManifest("package.json");
const published = manifestPaths(folder).filter((path) => !readManifest(path).private);

describe.each(published)("%s", (path) => {
  test("names the owner, the address and the place in the repository (npm run manifests writes them)", () => {
    expect(readManifest(path)).toMatchObject(ownerFields(root, path));
  });

  test("can be found, and holds its changelog", () => {
    expect(readManifest(path)).toMatchObject({
      description: expect.stringMatching(/\.$/),
      keywords: expect.arrayContaining([expect.any(String)]),
      files: expect.arrayContaining(["CHANGELOG.md"]),
    });
  });

  test("has a README whose links work outside of the repository", () => {
    const text = readFileSync(join(folder, dirname(path), "README.md"), "utf8");
    const links = linksOf(text);
    expect(links.filter((link) => !link.startsWith("https://"))).toEqual([]);
    expect(links.some((link) => link.startsWith(`${addressOf(root)}/`))).toBe(true);
  });
});

test("links to the repository lead to its files", () => {
  const prefix = `${addressOf(root)}/blob/main/`;
  const broken = documentsWithLinks(folder).flatMap((path) =>
    linksOf(readFileSync(join(folder, path), "utf8"))
      .filter((link) => link.startsWith(prefix) && !existsSync(join(folder, link.slice(prefix.length).replace(/#.*/, ""))))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("another address in the package.json of the root is written into all packages and documents", () => {
  const copy = mkdtempSync(join(tmpdir(), "addresses-"));
  const paths = [
    "package.json",
    "scripts/manifests.ts",
    "scripts/manifests/owner.ts",
    ...manifestPaths(folder),
    ...documentsWithLinks(folder),
  ];
  for (const path of paths) cpSync(join(folder, path), join(copy, path));
  const moved: Manifest = { ...root, author: "Ada", repository: { type: "git", url: "git+https://code.example/ada/agent.git" } };
  writeFileSync(join(copy, "package.json"), JSON.stringify(moved));
  execFileSync(process.execPath, ["scripts/manifests.ts"], { cwd: copy });
  for (const path of published) expect(readManifest(path, copy)).toMatchObject({ ...ownerFields(moved, path), author: "Ada" });
  const named = documentsWithLinks(copy).filter((path) => readFileSync(join(copy, path), "utf8").includes(`${addressOf(root)}/`));
  expect(named).toEqual([]);
});

function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}
