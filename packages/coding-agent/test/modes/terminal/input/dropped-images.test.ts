import { mkdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../../../ai/test/helpers/characters.ts";
import { droppedImages } from "../../../../src/modes/terminal/input/dropped-images.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

async function makeImages(): Promise<{ plain: string; odd: string }> {
  return { plain: await workspace.write("work/a.png", "x"), odd: await workspace.write("work/it's a (photo) & more.JPG", "x") };
}

describe("paths as terminals paste them", () => {
  test.each<[name: string, write: (path: string) => string]>([
    ["as it is", (path) => path],
    ["with a space behind it", (path) => `${path} `],
    ["in single quotes", (path) => `'${path.replaceAll("'", "'\\''")}'`],
    ["in double quotes", (path) => `"${path}"`],
    ["with escaped characters", (path) => path.replace(/[^\w/.-]/g, "\\$&")],
    ["as a URL", (path) => pathToFileURL(path).href],
  ])("%s", async (_name, write) => {
    const { plain, odd } = await makeImages();
    expect(droppedImages(write(plain))).toEqual([plain]);
    expect(droppedImages(write(odd))).toEqual([odd]);
  });

  test("several, with spaces or line ends between them", async () => {
    const { plain, odd } = await makeImages();
    expect(droppedImages(`'${plain}' ${odd.replace(/[^\w/.-]/g, "\\$&")}`)).toEqual([plain, odd]);
    expect(droppedImages(`${pathToFileURL(plain)}\n${pathToFileURL(odd)}\n`)).toEqual([plain, odd]);
  });

  test("quoted on Windows", async () => {
    const { plain, odd } = await makeImages();
    expect(droppedImages(`"${odd}" ${plain}`, "win32")).toEqual([odd, plain]);
  });
});

describe("other texts", () => {
  test("are no dropped images", async () => {
    const { plain } = await makeImages();
    await mkdir(`${workspace.cwd}/folder.png`);
    await workspace.write("work/a.txt", "x");
    const texts = [
      "",
      "  ",
      `Look at ${plain}`,
      `${plain} ${workspace.cwd}/missing.png`,
      `${workspace.cwd}/a.txt`,
      `${workspace.cwd}/folder.png`,
      `${plain}/b.png`,
      "a.png",
      "https://example.com/a.png",
      "file://other-host/a.png",
      "file:///%zz.png",
      `${plain}\0.png`,
      `'${plain}`,
      "x".repeat(20_000),
    ];
    expect(texts.filter((text) => droppedImages(text) !== undefined)).toEqual([]);
  });

  test("any text is read", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(droppedImages(text)).toBeUndefined();
        expect(droppedImages(text, "win32")).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
