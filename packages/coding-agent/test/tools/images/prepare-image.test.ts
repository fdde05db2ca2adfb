import { execFile } from "node:child_process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { prepareImage, prepareImageContent } from "../../../src/tools/images/prepare-image.ts";
import {
  blue,
  type Colour,
  colourAt,
  exif,
  makeAnimatedWebp,
  makeGif,
  makeJpeg,
  makePng,
  makeWebp,
  pngOfSize,
  red,
  sizeOf,
  withJpegExif,
  withPngChunk,
} from "./make-images.ts";

/** Left half red, right half blue. */
const halves =
  (width: number) =>
  (x: number): Colour =>
    x < width / 2 ? red : blue;
/** Noise, which does not compress. */
const noise = (x: number, y: number): Colour => {
  const value = Math.imul(x * 7919 + y * 104_729 + 1, 0x9e3779b1) >>> 0;
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255];
};

describe("TL-017 images within the limits of providers", () => {
  test.each([
    ["image/png", makePng(40, 30)],
    ["image/jpeg", makeJpeg(40, 30)],
    ["image/webp", makeWebp(40, 30)],
  ])("%s stays as it is", async (mimeType, bytes) => {
    expect(await prepareImage(bytes)).toEqual({
      image: { type: "image", mimeType, data: bytes.toString("base64") },
      size: { width: 40, height: 30 },
      shownSize: { width: 40, height: 30 },
      description: `${mimeType}, 40×30, ${bytes.length} B`,
    });
  });

  test("from base64 to base64", async () => {
    const data = makePng(3, 2).toString("base64");
    expect(await prepareImageContent({ type: "image", mimeType: "image/wrong", data })).toMatchObject({
      image: { type: "image", mimeType: "image/png", data },
    });
  });
});

describe("TL-017 images beyond the limits", () => {
  test("are scaled down to 1568 pixels of the longer side, and the note has the factor for coordinates", async () => {
    const { image, description, size, shownSize } = await prepareImage(makePng(3136, 20, halves(3136)));
    expect({ size, shownSize }).toEqual({ size: { width: 3136, height: 20 }, shownSize: { width: 1568, height: 10 } });
    expect(description).toMatch(
      /^image\/png, 3136×20, 1\.4 KB; scaled down to 1568×10: multiply coordinates in it by 2\.000 for those in the file$/,
    );
    expect(image?.mimeType).toBe("image/png");
    expect(sizeOf(image?.data ?? "")).toEqual({ width: 1568, height: 10 });
    expect([colourAt(image?.data ?? "", 10, 5), colourAt(image?.data ?? "", 1550, 5)]).toEqual([red, blue]);
  });

  test("are scaled down to 1.15 million pixels", async () => {
    const { image, shownSize } = await prepareImage(makeJpeg(1200, 1200));
    expect(shownSize).toEqual({ width: 1072, height: 1072 });
    expect(image?.mimeType).toBe("image/jpeg");
    expect(sizeOf(image?.data ?? "")).toEqual(shownSize);
  });

  test("in bytes are compressed as JPEG, on white where they are transparent, and made smaller until they fit", async () => {
    const limits = { maxEdge: 1568, maxPixels: 1_150_000, maxBase64: 20_000 };
    const compressed = await prepareImage(makePng(100, 100, noise), { limits });
    expect(compressed).toMatchObject({ image: { mimeType: "image/jpeg" }, shownSize: { width: 100, height: 100 } });
    expect(compressed.description).toMatch(/; converted to image\/jpeg$/);
    const clear = await prepareImage(
      makePng(100, 100, (x, y) => (x < 50 ? [0, 0, 0, 0] : noise(x, y))),
      { limits },
    );
    expect(colourAt(clear.image?.data ?? "", 10, 10)).toEqual([255, 255, 255]);
    const smaller = await prepareImage(makeJpeg(400, 300, noise), { limits });
    expect(smaller.shownSize?.width).toBeLessThan(400);
    for (const { image } of [compressed, clear, smaller]) expect(image?.data.length).toBeLessThanOrEqual(20_000);
    expect(await prepareImage(makePng(100, 100, noise), { limits: { ...limits, maxBase64: 100 } })).toEqual({
      size: { width: 100, height: 100 },
      description: expect.stringMatching(/; too many bytes to show, even when scaled down$/),
    });
  });

  test("with too many pixels are refused before decoding", async () => {
    for (const [width, height] of [
      [10_000, 5001],
      [2_147_483_647, 2_147_483_647],
    ] as const) {
      const { image, description } = await prepareImage(pngOfSize(width, height));
      expect(image).toBeUndefined();
      expect(description).toContain("too large to show: it has");
      expect(description).toContain("million pixels, and the limit is 50.");
    }
  });
});

describe("TL-017 EXIF orientation applies", () => {
  // As stored: red at the top left. The size and the corner that is red when the image is upright tell all eight apart.
  test.each([
    [1, 48, 32, "top left"],
    [2, 48, 32, "top right"],
    [3, 48, 32, "bottom right"],
    [4, 48, 32, "bottom left"],
    [5, 32, 48, "top left"],
    [6, 32, 48, "top right"],
    [7, 32, 48, "bottom right"],
    [8, 32, 48, "bottom left"],
  ] as const)("%i", async (orientation, width, height, corner) => {
    const stored = makeJpeg(48, 32, (x, y) => (x < 16 && y < 16 ? red : blue));
    const turned = withJpegExif(stored, orientation, orientation % 2 === 0 ? "II" : "MM");
    const { image, size, description } = await prepareImage(turned);
    const data = image?.data ?? "";
    expect({ size, shown: sizeOf(data) }).toEqual({ size: { width, height }, shown: { width, height } });
    expect(description.includes("rotated upright")).toBe(orientation !== 1);
    const corners = {
      "top left": [3, 3],
      "top right": [width - 4, 3],
      "bottom left": [3, height - 4],
      "bottom right": [width - 4, height - 4],
    };
    const isRed = ([x = 0, y = 0]: readonly number[]) => colourAt(data, x, y)[0] === 255;
    expect(Object.entries(corners).flatMap(([name, place]) => (isRed(place) ? [name] : []))).toEqual([corner]);
  });

  test("in PNG, and what is faulty counts as upright", async () => {
    expect((await prepareImage(withPngChunk(makePng(6, 4), "eXIf", exif(6)))).size).toEqual({ width: 4, height: 6 });
    for (const data of [exif(9), exif(6).subarray(0, 12)])
      expect((await prepareImage(withPngChunk(makePng(6, 4), "eXIf", data))).size).toEqual({ width: 6, height: 4 });
  });
});

describe("TL-016 animated formats do not break the request", () => {
  test("GIF becomes PNG, of its first frame", async () => {
    const still = await prepareImage(makeGif(1));
    expect(still).toMatchObject({ image: { mimeType: "image/png" }, description: "image/gif, 1×1, 43 B; converted to image/png" });
    const animated = await prepareImage(makeGif(3));
    expect(animated.description).toMatch(/; only the first frame of the animation is shown; converted to image\/png$/);
    expect(colourAt(animated.image?.data ?? "", 0, 0)).toEqual(red);
  });

  test("WebP", async () => {
    const { image, description } = await prepareImage(makeAnimatedWebp([makeWebp(8, 8), makeWebp(8, 8, () => blue)], 8, 8));
    expect(description).toContain("only the first frame of the animation is shown; converted to image/png");
    expect(colourAt(image?.data ?? "", 4, 4)).toEqual(red);
  });

  test("PNG", async () => {
    const animation = Buffer.alloc(8);
    animation.writeUInt32BE(1, 0);
    const { image, description } = await prepareImage(withPngChunk(makePng(8, 8), "acTL", animation));
    expect(description).toContain("only the first frame of the animation is shown");
    expect(image?.mimeType).toBe("image/png");
  });
});

describe("TL-017 corrupt images give a text note and never image data", () => {
  const png = makePng(64, 64, noise);
  const jpeg = makeJpeg(64, 64, noise);
  const webp = makeWebp(64, 64, noise);
  const spoilt = Buffer.from(png);
  spoilt.fill(7, 1000, 2000);
  test.each([
    ["PNG that ends in its header", png.subarray(0, 20)],
    ["PNG that ends in its pixels", png.subarray(0, 2000)],
    ["PNG with bytes overwritten", spoilt],
    ["JPEG that is nothing but a marker", jpeg.subarray(0, 4)],
    ["JPEG that ends in its header", jpeg.subarray(0, 200)],
    ["WebP that ends in its pixels", webp.subarray(0, 1000)],
    ["GIF that ends in its header", makeGif(1).subarray(0, 12)],
    ["GIF without a frame", Buffer.concat([makeGif(1).subarray(0, 19), Buffer.from(";")])],
    ["PNG without a pixel", pngOfSize(0, 5)],
  ])("%s", async (_what, bytes) => {
    const prepared = await prepareImage(bytes);
    expect(prepared).not.toHaveProperty("image");
    expect(prepared.description).toMatch(
      /^image\/\w+, .*; it cannot be decoded, so it is not shown: the file is damaged or cut short$/,
    );
  });

  test("what is no image", async () => {
    expect(await prepareImage(Buffer.from("BM"))).toEqual({
      description: "not a PNG, JPEG, GIF or WebP image, so it cannot be shown",
    });
  });
});

describe("TL-045 the work is done in another thread", () => {
  test("while an image is scaled down, the event loop turns", async () => {
    const bytes = makePng(1600, 1500);
    let turns = 0;
    let isDone = false;
    const preparing = prepareImage(bytes).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      turns++;
      await nextTurn();
    }
    expect((await preparing).shownSize).toEqual({ width: 1107, height: 1038 });
    expect(turns).toBeGreaterThan(20);
  });

  test("also in a process that was started with options that threads refuse", async () => {
    const module = new URL("../../../src/tools/images/prepare-image.ts", import.meta.url).href;
    const program = `
      const { prepareImage } = await import(${JSON.stringify(module)});
      console.log((await prepareImage(Buffer.from("${makePng(2, 2).toString("base64")}", "base64"))).image?.mimeType);`;
    const args = ["--conditions=pikit-source", "--input-type=module", "-e", program];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe("image/png\n");
  });

  test("an abort ends it, also that of an image that waits for another", async () => {
    const bytes = makePng(1600, 1500);
    const controller = new AbortController();
    const running = prepareImage(bytes, { signal: controller.signal });
    const waiting = prepareImage(bytes, { signal: controller.signal });
    const next = prepareImage(makePng(2, 2));
    await nextTurn();
    controller.abort(new Error("stop"));
    await expect(running).rejects.toThrow("stop");
    await expect(waiting).rejects.toThrow("stop");
    expect(await next).toMatchObject({ shownSize: { width: 2, height: 2 } });
    await expect(prepareImage(bytes, { signal: controller.signal })).rejects.toThrow("stop");
  });
});
