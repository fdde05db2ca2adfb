import type { AgentToolResult } from "@pikit/agent";
import type { ToolRenderer, UiComponent } from "../../../terminal-interface.ts";
import type { UiTheme } from "../../../theme/ui-theme.ts";
import { isComponent, type ToolRenderContext } from "../../../tools/tool-rendering.ts";
import type { Theme } from "../theme/theme.ts";
import { renderComponent } from "./component-lines.ts";

/** Maximum number of lines of the component of a call, and of a result that is folded and in full. */
const mostLines = { call: 40, folded: 60, full: 400 } as const;

/** The tool renderers of extensions, and all that they get. */
export interface ToolDrawings {
  rendererOf(toolName: string): ToolRenderer | undefined;
  readonly uiTheme: UiTheme;
  /** Draws again, soon. */
  refresh(): void;
}

/** The state of a call that is drawn. */
export interface DrawnCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
  /** The working folder. */
  cwd: string;
  isStarted: boolean;
  /** The result so far, or in the end. */
  result: AgentToolResult | undefined;
  isEnded: boolean;
  isError: boolean;
  isFull: boolean;
}

/** The component of a function, and the state for which it was made. */
interface Slot {
  key: string;
  result: AgentToolResult | undefined;
  component: UiComponent | undefined;
}

/** Draws a tool call with the components of its extension. A part for which there is none is drawn in the default form. */
export class ToolDrawing {
  readonly #drawings: ToolDrawings;
  readonly #renderer: ToolRenderer;
  readonly #state: Record<string, unknown> = {};
  #call: Slot | undefined;
  #result: Slot | undefined;
  #version = 0;

  private constructor(drawings: ToolDrawings, renderer: ToolRenderer) {
    this.#drawings = drawings;
    this.#renderer = renderer;
  }

  /** Undefined if no extension draws this tool. */
  static for(toolName: string, drawings: ToolDrawings | undefined): ToolDrawing | undefined {
    const renderer = drawings?.rendererOf(toolName);
    return drawings && renderer ? new ToolDrawing(drawings, renderer) : undefined;
  }

  /** Whether lines are shown as they are, without a mark and without indentation. */
  get isSelfFramed(): boolean {
    return this.#renderer.isSelfFramed;
  }

  /** The lines of the call; undefined for the default form. */
  callLines(call: DrawnCall, width: number, theme: Theme): string[] | undefined {
    const { call: render } = this.#renderer;
    if (!render) return undefined;
    this.#call = this.#update(this.#call, call, (context) => render(call.args, this.#drawings.uiTheme, context as never));
    return this.#lines(this.#call, width, theme)?.slice(0, mostLines.call);
  }

  /** The lines of the result so far; undefined for the default form. */
  resultLines(call: DrawnCall, width: number, theme: Theme): string[] | undefined {
    const { result: render } = this.#renderer;
    if (!render || call.result === undefined || (call.isEnded && call.isError)) return undefined;
    const options = { expanded: call.isFull, isPartial: !call.isEnded };
    this.#result = this.#update(this.#result, call, (context) =>
      render(call.result as never, options, this.#drawings.uiTheme, context as never),
    );
    return this.#lines(this.#result, width, theme)?.slice(0, call.isFull ? mostLines.full : mostLines.folded);
  }

  /** Calls the function if the state is another one. */
  #update(slot: Slot | undefined, call: DrawnCall, render: (context: ToolRenderContext) => unknown): Slot {
    const key = [call.isStarted, call.isEnded, call.isError, call.isFull, this.#version].join();
    if (slot?.key === key && slot.result === call.result) return slot;
    const view = render({
      ...{ args: call.args, toolCallId: call.id, state: this.#state, cwd: call.cwd, lastComponent: slot?.component },
      invalidate: () => {
        this.#version += 1;
        this.#drawings.refresh();
      },
      ...{ executionStarted: call.isStarted, argsComplete: true, isPartial: !call.isEnded, expanded: call.isFull },
      ...{ showImages: false, isError: call.isError },
    });
    return { key, result: call.result, component: isComponent(view) ? view : undefined };
  }

  /** A component that fails while it is rendered gives its place to the default form. */
  #lines(slot: Slot, width: number, theme: Theme): string[] | undefined {
    if (!slot.component) return undefined;
    try {
      return renderComponent(slot.component, width, theme);
    } catch {
      slot.component = undefined;
      return undefined;
    }
  }
}
