import type { QueuedTexts } from "../../../protocol/data.ts";
import type { Widgets } from "../dialogs/widgets.ts";
import type { KeyBindings } from "../input/keys.ts";
import type { PromptSource } from "../input/prompt-source.ts";
import { finishLines } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { BlockList } from "../screen/block-list.ts";
import type { Theme } from "../theme/theme.ts";
import type { LiveParts } from "./live-region.ts";
import { renderQueue } from "./queue-lines.ts";
import { renderStatusLine } from "./status-line.ts";
import type { StatusReader } from "./status-reader.ts";
import type { WorkLine } from "./work-line.ts";

/** All that is shown in the live region. */
export interface LiveSources {
  theme: Theme;
  keys: KeyBindings;
  blocks: BlockList;
  work: WorkLine;
  status: StatusReader;
  queued: QueuedTexts;
  /** The panel in place of the editor. */
  panel: Panel | undefined;
  editor: PromptSource;
  terminal: { linesAbove(width: number): string[]; footerLines(width: number): string[] | undefined };
  widgets: Widgets;
}

/** Renders the parts of the live region for a width. */
export function createLiveParts(sources: LiveSources, width: number): LiveParts {
  const { theme, keys, blocks, work, panel, editor, terminal, widgets, queued } = sources;
  return {
    conversation: (columns, most) => blocks.render(columns, most),
    above: finishLines(terminal.linesAbove(width), theme),
    work: [
      ...work.render(theme, width, { isAsking: panel !== undefined }),
      ...renderQueue(queued, theme, width, keys.show("editQueue") ?? ""),
    ],
    input: (columns, rows) => (panel ? panel.render(columns, rows) : editor.render(columns)),
    below: finishLines(widgets.below(width), theme),
    status: terminal.footerLines(width) ?? [statusLine(sources, width)],
  };
}

function statusLine({ status, widgets, theme }: LiveSources, width: number): string {
  return status.isReady ? renderStatusLine(status.read(widgets.statusTexts), theme, width) : theme.dim("Starting …");
}
