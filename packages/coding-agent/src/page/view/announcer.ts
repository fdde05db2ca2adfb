import { element } from "./dom.ts";

/** Maximum characters that a screen reader gets at once. */
const maxLength = 2000;

/** Says texts to screen readers. It is not visible, and nothing is said while an answer is still streaming. */
export class Announcer {
  readonly root = element("div", { class: "hidden-text", role: "status", "aria-live": "polite" });

  say(text: string): void {
    const said = text.length > maxLength ? `${text.slice(0, maxLength)} …` : text;
    // A paragraph of its own is said even if the text is the same as before.
    this.root.replaceChildren(element("p", {}, said));
  }
}
