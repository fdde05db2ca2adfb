import type { TerminalContributions } from "../../../terminal-interface.ts";
import type { UiTheme } from "../../../theme/ui-theme.ts";
import { isComponent } from "../../../tools/tool-rendering.ts";
import { type Block, finishedBlock } from "../block.ts";
import { cut, toSafeLines, wrapPlain } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import type { ConversationViewOptions } from "../view/conversation-view.ts";
import { renderComponent } from "./component-lines.ts";

/** Maximum number of lines of a message or an entry, and of characters of one that is a text. */
const mostLines = 400;
const maxText = 50_000;

export interface ContributedBlockOptions {
  theme: Theme;
  uiTheme: UiTheme;
  isFull: boolean;
}

/** A message or an entry as an extension renders it; undefined for the default form. */
export function contributedBlock(
  render: ((...args: unknown[]) => unknown) | undefined,
  item: unknown,
  { theme, uiTheme, isFull }: ContributedBlockOptions,
): Block | undefined {
  const view = render?.(item, { expanded: isFull, outputPad: 1 }, uiTheme);
  if (typeof view === "string" || Array.isArray(view)) {
    const lines = toSafeLines(cut(typeof view === "string" ? view : view.map(String).join("\n"), maxText));
    return finishedBlock((width) => lines.flatMap((line) => wrapPlain(line, width)).slice(0, mostLines));
  }
  if (!isComponent(view)) return undefined;
  return finishedBlock((width) => {
    try {
      return renderComponent(view, width, theme).slice(0, mostLines);
    } catch (error) {
      return [
        theme.error(`A component of an extension has failed: ${error instanceof Error ? error.message : String(error)}`),
      ].flatMap((line) => wrapPlain(line, width));
    }
  });
}

export interface ContributedViewParts extends Omit<ContributedBlockOptions, "isFull"> {
  contributions(): TerminalContributions | undefined;
  /** Draws again, soon. */
  refresh(): void;
  /** Whether more of the output is shown. */
  isFull(): boolean;
}

/** The parts of the conversation that extensions draw. */
export function createContributedViews({
  theme,
  uiTheme,
  contributions,
  refresh,
  isFull,
}: ContributedViewParts): Required<Pick<ConversationViewOptions, "drawings" | "messageBlock" | "transformMarkdown">> {
  return {
    drawings: { rendererOf: (name) => contributions()?.toolRenderer(name), uiTheme, refresh },
    transformMarkdown: (markdown, context) => contributions()?.transformMarkdown(markdown, context) ?? markdown,
    messageBlock: (message) =>
      message.display
        ? contributedBlock(contributions()?.messageRenderer(message.customType), message, { theme, uiTheme, isFull: isFull() })
        : undefined,
  };
}
