import { describe, expect, test } from "vitest";
import { checkImage, type ImageContent, imageOrNote, maxImageLength } from "../src/index.ts";
import { imageFile } from "./helpers/images.ts";

const image = (data: unknown, mimeType = "image/png") => ({ type: "image", data, mimeType }) as ImageContent;
const png = imageFile("png", 3, 3);

describe("B9 an image", () => {
  test.each(["png", "gif", "jpeg", "webp"] as const)("that is a %s stays as it is", (kind) => {
    const good = image(imageFile(kind, 3, 3), `image/${kind}`);
    expect(checkImage(good)).toEqual({ image: good });
    expect("image" in checkImage(good) && checkImage(good)).toMatchObject({ image: good });
  });

  test("that is called something else gets the type that it has", () => {
    expect(checkImage(image(imageFile("jpeg", 3, 3)))).toMatchObject({ image: { mimeType: "image/jpeg" } });
    expect(checkImage(image(png, "application/octet-stream"))).toMatchObject({ image: { mimeType: "image/png" } });
  });

  test("in a data URL, in lines, or without padding is mended", () => {
    const bare = png.replace(/=+$/, "");
    for (const data of [`data:image/png;base64,${png}`, png.replace(/(.{8})/g, "$1\r\n"), bare]) {
      expect(checkImage(image(data))).toEqual({ image: image(png) });
    }
  });

  test.each([
    ["no text", 7, "it has no data"],
    ["nothing", "", "it has no data"],
    ["other text", "not an image: at all!", "its data is not valid base64"],
    ["a broken end", `${png.slice(0, -4)}A===`, "its data is not valid base64"],
    ["letters of URLs", "iVBORw0KGgo_", "its data is not valid base64"],
    ["another format", Buffer.from("BM......").toString("base64"), "its data is not a PNG, JPEG, GIF or WebP image"],
    ["SVG", Buffer.from("<svg/>").toString("base64"), "its data is not a PNG, JPEG, GIF or WebP image"],
    ["too much", png.padEnd(maxImageLength + 4, "A"), `it has more than ${maxImageLength} characters of base64`],
  ])("that is none, but %s, is named", (_what, data, problem) => {
    expect(checkImage(image(data))).toEqual({ problem });
    expect(imageOrNote(image(data))).toEqual({ type: "text", text: `[An image was here, but ${problem}.]` });
  });
});
