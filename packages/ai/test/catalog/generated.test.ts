import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contentHash, renderCatalog, splitGenerated } from "../../../../scripts/catalog/render.ts";

const folder = new URL("../../src/catalog/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".generated.ts"));
const howToFix = "run `node scripts/generate-catalog.ts` and change scripts/catalog/ instead of the generated files";

describe("the generated catalog", () => {
  test.each(names)("%s was not edited by hand", (name) => {
    const parts = splitGenerated(read(name));
    expect(parts && contentHash(parts.body), howToFix).toBe(parts?.hash ?? "a hash in the header");
  });

  test("is what the generator makes of the pinned data", () => {
    const expected = Object.fromEntries(renderCatalog().map(({ name, text }) => [name, text]));
    expect(Object.fromEntries(names.map((name) => [name, read(name)])), howToFix).toEqual(expected);
  });

  test("shows an edit of a single price", () => {
    const parts = splitGenerated(read("anthropic.generated.ts").replace("[5,25,", "[5,24,"));
    expect(parts && contentHash(parts.body)).not.toBe(parts?.hash);
  });
});

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}
