import type { Style } from "../../../theme/style.ts";
import type { Theme } from "../theme/theme.ts";

type Highlight = (code: string, info: string) => string;

let loading: Promise<Highlight> | undefined;
let loaded: Highlight | undefined;

/** Loads the highlighter of code, which takes some time. Code that is shown before it is loaded has no colours. Never rejects. */
export async function loadHighlighter(): Promise<void> {
  loading ??= import("../../../render/highlight.ts").then(({ highlightCode }) => highlightCode);
  // Without it, code stays plain: an installation that lacks a file still shows the conversation.
  loaded = await loading.catch(() => undefined);
}

/** Maximum length of the code before a piece that is read again, so that comments and strings of several lines have their colour. */
const maxContext = 4000;

/** Colours the pieces of a code block. */
export class CodeColors {
  readonly #theme: Theme;
  readonly #info: string;
  #before = "";

  /** @param info - The text after the fence, which begins with the language. */
  constructor(theme: Theme, info: string) {
    this.#theme = theme;
    this.#info = info;
    if (!loaded && theme.colors > 0 && info !== "") void loadHighlighter();
  }

  /** Returns the next piece of the code with its colours. */
  add(code: string): string {
    const before = this.#before.length + code.length > maxContext ? "" : this.#before;
    this.#before = `${before}${code}\n`;
    return this.#color(before, code);
  }

  /** Returns the code that comes next, but may still change. The code before it is not read, because this is called often. */
  preview(code: string): string {
    return this.#color("", code);
  }

  #color(before: string, code: string): string {
    if (!loaded || this.#theme.colors === 0 || this.#info === "") return code;
    const colored = colorSpans(loaded(before + code, this.#info), this.#theme);
    if (before === "") return colored;
    return colored.split("\n").slice(-code.split("\n").length).join("\n");
  }
}

/** Styles of the classes of highlight.js. Source: its documentation, "CSS Classes Reference". */
const styleNames: ReadonlyMap<string, keyof Theme> = new Map([
  ["keyword", "keyword"],
  ["built_in", "type"],
  ["type", "type"],
  ["literal", "number"],
  ["number", "number"],
  ["string", "string"],
  ["regexp", "string"],
  ["char", "string"],
  ["symbol", "number"],
  ["comment", "comment"],
  ["quote", "comment"],
  ["doctag", "keyword"],
  ["meta", "keyword"],
  ["title", "function"],
  ["section", "function"],
  ["name", "keyword"],
  ["tag", "keyword"],
  ["attr", "type"],
  ["attribute", "type"],
  ["selector-tag", "keyword"],
  ["selector-class", "type"],
  ["selector-id", "type"],
  ["addition", "added"],
  ["deletion", "removed"],
  ["link", "link"],
  ["bullet", "keyword"],
] as const);

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&#39;": "'",
};

/** Converts the HTML of highlight.js, which has only `span` elements, to text with styles. */
function colorSpans(html: string, theme: Theme): string {
  const open: { style: Style | undefined; text: string }[] = [{ style: undefined, text: "" }];
  for (const [piece] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (piece.startsWith("<span")) open.push({ style: styleOf(piece.slice(13, -2), theme), text: "" });
    else if (piece === "</span>" && open.length > 1) {
      const { style, text } = open.pop() as { style: Style | undefined; text: string };
      const outer = open.at(-1);
      if (outer) outer.text += style ? style(text) : text;
    } else {
      const last = open.at(-1);
      if (last) last.text += piece.replace(/&(?:amp|lt|gt|quot|#x27|#39);/g, (entity) => entities[entity] ?? entity);
    }
  }
  return open.map(({ text }) => text).join("");
}

/** @param classes - Such as `hljs-title function_`. */
function styleOf(classes: string, theme: Theme): Style | undefined {
  const [first = ""] = classes.split(" ");
  const name = styleNames.get(first.replace(/^hljs-/, ""));
  const style = name === undefined ? undefined : theme[name];
  return typeof style === "function" ? style : undefined;
}
