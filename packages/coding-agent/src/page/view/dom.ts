/** A child of an element; undefined is skipped. */
export type Child = Node | string | undefined;

type Listener = (event: Event) => void;

/**
 * Creates an element.
 *
 * @param attributes - Attributes by name: true is an empty one, false and undefined are left out; a function is a listener of the event that
 *   the name names behind `on`.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | boolean | undefined | Listener>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(name.slice(2), value);
    else if (value === true) created.setAttribute(name, "");
    else if (typeof value === "string") created.setAttribute(name, value);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** Sets the content of an element to HTML of `src/render`, in which everything from models and tools is escaped. */
export function setHtml(target: Element, html: string): void {
  target.innerHTML = html;
}

/** Sets the text of an element if it differs: a change of the same text would be announced again. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Collects calls of a function until the next animation frame, which makes one call of them. In a hidden page, a timer takes the place of the frame. */
export class FrameTask {
  readonly #run: () => void;
  #isPlanned = false;

  constructor(run: () => void) {
    this.#run = run;
  }

  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const start = () => {
      this.#isPlanned = false;
      this.#run();
    };
    if (document.visibilityState === "hidden") setTimeout(start, hiddenDelayMs);
    else requestAnimationFrame(start);
  }
}

/** Milliseconds between updates of a hidden page. */
const hiddenDelayMs = 500;
