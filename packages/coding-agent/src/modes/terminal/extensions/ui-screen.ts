import type { UiScreen } from "../../../terminal-interface.ts";

/** Members of the terminal in related programs that belong to their way of drawing, and have no counterpart here. */
const missing = [
  ...["addChild", "removeChild", "clear", "setFocus", "hideOverlay", "renderNow", "queryTerminalBackgroundColor"],
  ...["setClearOnShrink", "setShowHardwareCursor", "setLayoutRoot"],
] as const;

/** Creates the terminal as components see it. Its other members fail when they are called, with a sentence that names them. */
export function createUiScreen(
  parts: Pick<UiScreen, "requestRender" | "terminal" | "stop" | "start" | "addInputListener" | "showOverlay">,
): UiScreen {
  const screen: UiScreen = { ...parts, mode: "regular" };
  for (const name of missing) {
    Object.defineProperty(screen, name, {
      value: () => {
        throw new Error(
          `The terminal has no "${name}": components are shown with the methods of ctx.ui, such as custom and setWidget.`,
        );
      },
    });
  }
  return Object.defineProperties(screen, { hasOverlay: { value: () => false }, invalidate: { value: parts.requestRender } });
}
