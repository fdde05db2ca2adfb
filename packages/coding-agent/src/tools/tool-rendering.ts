import { stripVTControlCharacters } from "node:util";
import type { AgentTool, AgentToolResult, RenderedText } from "@pikit/agent";
import type { UiComponent } from "../terminal-interface.ts";
import { plainTheme, type UiTheme } from "../theme/ui-theme.ts";

/** A text, its lines, or a component of the terminal. Undefined: the default form. */
export type ToolView = UiComponent | RenderedText | undefined;

/** The form in which a result is rendered. */
export interface ToolRenderOptions {
  /** Whether the user wants to see all of it. */
  expanded: boolean;
  /** Whether the tool is still running. */
  isPartial: boolean;
}

/** The call that is rendered. */
export interface ToolRenderContext<TArguments = unknown> extends ToolRenderOptions {
  args: TArguments;
  /** Empty outside the terminal. */
  toolCallId: string;
  /** Renders again, soon. */
  invalidate(): void;
  /** The component that the same function has returned before. */
  lastComponent: UiComponent | undefined;
  /** Data of the functions for this call. */
  state: Record<string, unknown>;
  cwd: string;
  executionStarted: boolean;
  argsComplete: boolean;
  /** Always false: images of a result are shown below it. */
  showImages: boolean;
  isError: boolean;
}

/** The functions of a tool that show its calls to people. */
export interface ToolRendering<TArguments = unknown, TDetails = unknown> {
  /**
   * Describes a call for people, in place of the arguments: in one line of plain text, or with a component. It must not be asynchronous. If it
   * throws or returns nothing, the arguments are shown. Where there is no terminal it is called once, before the call runs, and a component is
   * rendered to plain text.
   *
   * @param params - Valid, but without the transformations of the schema library. Do not change them.
   */
  renderCall?(params: TArguments, theme: UiTheme, context: ToolRenderContext<TArguments>): ToolView;
  /**
   * Renders a result for people, in place of the content: in lines of plain text, of which an empty list shows nothing, or with a component. As
   * `renderCall`, but not called for errors; not called either if `execute` returns a `display.result` itself.
   */
  renderResult?(
    result: AgentToolResult<TDetails>,
    options: ToolRenderOptions,
    theme: UiTheme,
    context: ToolRenderContext<TArguments>,
  ): ToolView;
  /** `self`: components are shown as they are, without a mark before the call and without indentation. Default: `default`. */
  renderShell?: "default" | "self";
}

/** Calls one of the functions; undefined if it fails. */
export type RenderGuard = (name: "renderCall" | "renderResult", work: () => unknown) => unknown;

/** The width of a component that is rendered to text, in cells. */
const textWidth = 100;

/** The functions of a tool for the agent loop, which renders text only. */
export function toTextRenderers(
  tool: ToolRendering,
  cwd: () => string,
  call: RenderGuard = (_name, work) => work(),
): Pick<AgentTool, "renderCall" | "renderResult"> {
  const states = new WeakMap<object, Record<string, unknown>>();
  const contextFor = (args: unknown, isEnded: boolean): ToolRenderContext => ({
    ...{ args, toolCallId: "", invalidate() {}, lastComponent: undefined, state: stateOf(states, args), cwd: cwd() },
    ...{ executionStarted: isEnded, argsComplete: true, isPartial: !isEnded, expanded: true, showImages: false, isError: false },
  });
  return {
    ...(tool.renderCall
      ? {
          renderCall: (params) =>
            toText(call("renderCall", () => toPlainView(tool.renderCall?.(params, plainTheme, contextFor(params, false))))),
        }
      : {}),
    ...(tool.renderResult
      ? {
          renderResult: (result, params) => {
            const options = { expanded: true, isPartial: false };
            const render = () => toPlainView(tool.renderResult?.(result, options, plainTheme, contextFor(params, true)));
            return toText(call("renderResult", render));
          },
        }
      : {}),
  };
}

/** Whether a value has the shape of a component. */
export function isComponent(value: unknown): value is UiComponent {
  return typeof value === "object" && value !== null && "render" in value && typeof value.render === "function";
}

/**
 * The lines of a component as plain text; other values unchanged.
 *
 * @throws {TypeError} When the value is neither a text, a list of texts nor a component.
 */
function toPlainView(view: unknown): unknown {
  if (isComponent(view)) return plainLines(view.render(textWidth));
  if (view === undefined || typeof view === "string") return view;
  if (Array.isArray(view) && view.every((line) => typeof line === "string")) return view;
  if (view instanceof Promise) view.catch(() => undefined); // it is reported as a promise anyway
  const type = view instanceof Promise ? "a promise" : typeof view;
  throw new TypeError(`It must return a text, a list of texts or a component, but returned ${type}.`);
}

/** Without styles, and without the empty lines and spaces around the text. */
function plainLines(lines: readonly string[]): string[] {
  const plain = lines.map((line) => stripVTControlCharacters(String(line)).trimEnd());
  const isText = (line: string) => line !== "";
  return plain.slice(Math.max(0, plain.findIndex(isText)), plain.findLastIndex(isText) + 1);
}

function toText(value: unknown): RenderedText | undefined {
  return value as RenderedText | undefined;
}

function stateOf(states: WeakMap<object, Record<string, unknown>>, args: unknown): Record<string, unknown> {
  if (typeof args !== "object" || args === null) return {};
  const state = states.get(args) ?? {};
  states.set(args, state);
  return state;
}
