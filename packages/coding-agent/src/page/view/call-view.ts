import type { AgentToolResult } from "@pikit/agent";
import type { ToolCall } from "@pikit/ai";
import { countLines, countOf } from "../../render/format.ts";
import { renderCall, renderResult, renderResultDiff } from "../../render/tool-call.ts";
import type { CallState } from "../model/conversation.ts";
import type { BlockView } from "./block-views.ts";
import { element, setHtml, setText } from "./dom.ts";

/** Maximum lines of the output of a running call that are shown, the last ones. */
const maxLiveLines = 20;

/** A tool call with its output. */
export class CallView implements BlockView<ToolCall> {
  readonly root: HTMLElement;
  readonly #heading = element("span");
  readonly #status = element("span", { class: "call-status" });
  readonly #body = element("div");
  readonly #output = element("div");
  #call: ToolCall | undefined;
  #state: CallState | undefined;
  #shownText: string | undefined;

  constructor() {
    const heading = element("h3", {}, this.#heading, this.#status);
    this.root = element("article", { class: "tool" }, heading, this.#body, this.#output);
  }

  update(call: ToolCall, isComplete: boolean): void {
    setText(this.#status, isComplete ? "" : " …");
    if (call === this.#call) return;
    this.#call = call;
    this.#showCall();
  }

  /** Shows the progress of the call, or its result. */
  show(state: CallState): void {
    const hasText = this.#shownText !== state.text;
    this.#state = state;
    if (hasText) this.#showCall();
    const { isRunning, partial, result } = state;
    const name = this.#call?.name ?? "";
    setText(this.#status, isRunning ? " running" : "");
    this.root.classList.toggle("running", isRunning);
    this.root.classList.toggle("error", result?.isError ?? false);
    if (result) {
      const diff = renderResultDiff(name, result);
      if (diff !== undefined) setHtml(this.#body, diff);
      setHtml(this.#output, renderResult(result, name));
    } else if (partial) this.#showLive(outputOf(partial));
  }

  #showCall(): void {
    if (!this.#call) return;
    const { text, result } = this.#state ?? {};
    this.#shownText = text;
    const { heading, body } = renderCall(this.#call, text);
    setHtml(this.#heading, heading);
    setHtml(this.#body, (result && renderResultDiff(this.#call.name, result)) ?? body);
  }

  #showLive(output: string): void {
    const shown = lastLines(output, maxLiveLines);
    const hidden = countLines(output.slice(0, output.length - shown.length));
    let pre = this.#output.querySelector("pre");
    if (!pre) {
      pre = element("pre", { class: "live" });
      this.#output.replaceChildren(element("p", { class: "dim" }), pre);
    }
    setText(pre, shown);
    const note = this.#output.firstElementChild;
    if (note) setText(note, hidden > 0 ? `${countOf(hidden, "earlier line")}` : "");
  }
}

function outputOf({ content, display }: AgentToolResult): string {
  if (display?.result) return display.result.join("\n");
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** The last lines of a text. */
function lastLines(text: string, count: number): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let found = 0; found < count && start !== -1; found += 1) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  return text.slice(start + 1);
}
