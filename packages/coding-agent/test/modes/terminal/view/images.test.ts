import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import { afterEach, expect, test } from "vitest";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { drawImage, imageLabel } from "../../../../src/modes/terminal/view/images.ts";
import { userBlock } from "../../../../src/modes/terminal/view/message-blocks.ts";
import { userMessage } from "../../../helpers/messages.ts";

const none = { images: null, trueColor: false, hyperlinks: false } as const;
afterEach(() => setCapabilities(none));

/** The beginning of a PNG of 640×480 pixels. */
const png = {
  type: "image",
  data: "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzkAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  mimeType: "image/png",
} as const;

test("an image has a label with its size in pixels and bytes", () => {
  expect(imageLabel(png, 2)).toBe("[image 2: 640×480, 70 B]");
  expect(imageLabel({ ...png, data: "AAAA" }, 1, "a\x1b[31m.png")).toBe("[a.png: image/png, 3 B]");
});

test("a terminal without images gets no sequence", () => {
  setCapabilities(none);
  expect(drawImage(png, 80)).toBeUndefined();
});

test.each(["kitty", "iterm2"] as const)("in %s, empty lines make room, and the line below draws over them", (images) => {
  setCapabilities({ ...none, images });
  const lines = drawImage(png, 40) ?? [];
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.length).toBeLessThanOrEqual(21);
  expect(lines.slice(0, -1)).toEqual(Array<string>(lines.length - 1).fill(""));
  const [before = "", after] = (lines.at(-1) ?? "").split(images === "kitty" ? "\x1b_G" : "\x1b]1337;");
  expect(before).toBe(`\x1b7\x1b[${lines.length - 1}A`);
  expect(after?.endsWith("\x1b8")).toBe(true);
});

test("Kitty's protocol has no JPEG, and damaged images are not drawn", () => {
  setCapabilities({ ...none, images: "kitty" });
  expect(drawImage({ ...png, mimeType: "image/jpeg" }, 40)).toBeUndefined();
  expect(drawImage({ ...png, data: "AAAA" }, 40)).toBeUndefined();
});

test("an image of a message is drawn once, when the message is printed", () => {
  setCapabilities({ ...none, images: "kitty" });
  const block = userBlock(userMessage([{ type: "text", text: "Look" }, png]), {
    theme: createTheme({ colors: 0, isLight: false }),
  });
  expect(block.render(80)).toEqual(["› Look", "  [image 1: 640×480, 70 B]"]);
  const lines = block.takeFinished(80);
  expect(lines.slice(0, 2)).toEqual(["› Look", "  [image 1: 640×480, 70 B]"]);
  expect(lines.at(-1)).toContain("\x1b_G");
  expect(block.takeFinished(80)).toEqual([]);
});
