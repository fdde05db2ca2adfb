import { describe, expect, test } from "vitest";
import { Attachments } from "../../../../src/modes/terminal/input/attachments.ts";
import type { ClipboardImage } from "../../../../src/modes/terminal/input/clipboard-image.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";
import { ctrl, key, paste, TestEditor } from "./helpers.ts";
import { png, pngContent } from "./images.ts";

const workspace = useWorkspace();

function create(clipboard: ClipboardImage = { problem: "The clipboard has no image." }) {
  const notes: string[] = [];
  const images = new Attachments({ note: (text) => void notes.push(text), readClipboard: async () => clipboard });
  return { notes, images, editor: new TestEditor({ images }) };
}

const image = (name: string) => workspace.write(`work/${name}`, png);

describe("dropped files", () => {
  test("a marker stands for each, and the images are sent with the text, in its order", async () => {
    const { editor } = create();
    const [one, two] = [await image("one.png"), await image("two.png")];
    editor.type("Compare");
    editor.press(paste(`'${one}' '${two}'`));
    editor.type("please");
    expect(editor.lines()).toEqual(["› Compare [image 1] [image 2] please|"]);
    editor.press(key.enter);
    expect(editor.lines()).toEqual(["› |"]);
    await editor.sentAtLeast(1);
    expect(editor.sent).toEqual([["submit", "Compare [image 1] [image 2] please", [pngContent, pngContent]]]);
  });

  test("an image whose marker was deleted is not sent, and the others get its number", async () => {
    const { editor } = create();
    editor.press(paste(await image("one.png")), paste(await image("two.png")));
    expect(editor.lines()).toEqual(["› [image 1] [image 2] |"]);
    editor.press(key.home, "\x1bd", "\x1bd", "\x1bd", "\x1bd");
    editor.editor.setText("see [image 2] and [image 7]");
    editor.press(key.altEnter);
    await editor.sentAtLeast(1);
    expect(editor.sent).toEqual([["followUp", "see [image 1] and [image 7]", [pngContent]]]);
  });

  test("the next prompt starts without images", async () => {
    const { editor } = create();
    editor.press(paste(await image("one.png")), key.enter);
    editor.type("[image 1]");
    editor.press(key.enter);
    await editor.sentAtLeast(2);
    expect(editor.sent).toEqual([
      ["submit", "[image 1]", [pngContent]],
      ["submit", "[image 1]", []],
    ]);
  });

  test("prompts are sent in the order of Enter, also while an image is being prepared", async () => {
    const { editor } = create();
    editor.press(paste(await image("one.png")), key.enter);
    editor.type("second");
    editor.press(key.enter);
    await editor.sentAtLeast(2);
    expect(editor.texts).toEqual(["[image 1]", "second"]);
  });

  test("a file that is no image is reported, and its path is sent", async () => {
    const { editor, notes } = create();
    const path = await workspace.write("work/text.png", "text");
    editor.press("a", paste(path), key.enter);
    await editor.sentAtLeast(1);
    expect(notes).toEqual(["[image 1] (text.png) cannot be attached: not a PNG, JPEG, GIF or WebP image, so it cannot be shown."]);
    expect(editor.sent).toEqual([["submit", `a ${path}`, []]]);
  });

  test("other pasted texts are pasted", async () => {
    const { editor } = create();
    editor.press(paste("/no/such.png"));
    expect(editor.lines()).toEqual(["› /no/such.png|"]);
  });

  test("a prompt has 20 images at most", async () => {
    const { editor, notes } = create();
    const path = await image("one.png");
    for (let count = 0; count < 21; count += 1) editor.press(paste(path));
    expect(notes).toEqual(["A prompt can have 20 images at most."]);
    expect(editor.editor.text).toContain("[image 20]");
    expect(editor.editor.text).toContain(path);
  });
});

describe("the clipboard", () => {
  test("Ctrl-V attaches its image, and so does an empty paste", async () => {
    for (const pressed of [ctrl("v"), "\x1b[118;5u", paste("")]) {
      const { editor } = create({ bytes: png });
      editor.type("see");
      expect(editor.press(pressed)).toBe(true);
      await editor.shown(() => editor.editor.text.includes("[image 1]"));
      expect(editor.lines()).toEqual(["› see [image 1] |"]);
      editor.press(key.enter);
      await editor.sentAtLeast(1);
      expect(editor.sent).toEqual([["submit", "see [image 1]", [pngContent]]]);
    }
  });

  test("without an image there is a note", async () => {
    const { images, notes } = create();
    expect(await images.addFromClipboard()).toBeUndefined();
    expect(notes).toEqual(["The clipboard has no image."]);
  });
});

describe("a text that is edited again", () => {
  test("has its images", async () => {
    const { editor } = create();
    editor.editor.setText("see [image 1]", [pngContent, pngContent]);
    expect(editor.lines()).toEqual(["› see [image 1] [image 2]|"]);
    editor.press(key.enter);
    await editor.sentAtLeast(1);
    expect(editor.sent).toEqual([["submit", "see [image 1] [image 2]", [pngContent, pngContent]]]);
  });

  test("above a draft, both have their images", async () => {
    const { editor } = create();
    const other = { ...pngContent, data: `${pngContent.data.slice(0, -4)}AAAA` };
    editor.type("mine");
    editor.press(paste(await image("one.png")));
    editor.editor.prepend([
      { text: "first [image 1] and [image 7]", images: [other] },
      { text: "second", images: [] },
      { text: "", images: [other] },
    ]);
    expect(editor.editor.text).toBe("first [image 2] and [image 7]\n\nsecond\n\n[image 3]\n\nmine [image 1] ");
    editor.press(key.enter);
    await editor.sentAtLeast(1);
    expect(editor.sent).toEqual([
      ["submit", "first [image 1] and [image 7]\n\nsecond\n\n[image 2]\n\nmine [image 3]", [other, other, pngContent]],
    ]);
  });

  test("images for which there is no room leave no marker that stands for another image", async () => {
    const { editor, notes } = create();
    editor.editor.setText("mine [image 1]", [pngContent]);
    editor.editor.prepend([{ text: "look [image 2], [image 1] and [image 30]", images: Array(20).fill(pngContent) }]);
    expect(editor.editor.text).toBe("look ,  and [image 30]\n\nmine [image 1]");
    expect(notes).toEqual(["A prompt can have 20 images at most."]);
  });

  test("the history has no markers of images", async () => {
    const added: string[] = [];
    const { images } = create();
    const editor = new TestEditor({ images, history: { list: () => added, add: (text) => void added.push(text) } });
    const path = await image("one.png");
    editor.type("see");
    editor.press(paste(path));
    editor.type("and [image 5]");
    editor.press(key.enter);
    editor.press(paste(path), key.enter);
    await editor.sentAtLeast(2);
    expect(added).toEqual(["see and [image 5]"]);
  });
});
