import { ListPanel } from "../dialogs/list-panel.ts";
import type { Stage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum characters of a prompt in the list. */
const maxShown = 300;

export interface HistorySearchOptions {
  theme: Theme;
  /** The latest last. */
  prompts: readonly string[];
  open: Stage["open"];
  /** Called with the chosen prompt; not for Esc. */
  onChoose(prompt: string): void;
}

/** Lets the user search the prompts of the past, the latest first. */
export function searchHistory({ theme, prompts, open, onChoose }: HistorySearchOptions): void {
  const rows = prompts.map((prompt) => ({ value: prompt, label: prompt.slice(0, maxShown) })).reverse();
  const close = open(
    new ListPanel({
      theme,
      title: "Earlier prompts",
      rows,
      emptyText: "There are no earlier prompts.",
      onChoose(prompt) {
        close();
        if (prompt !== undefined) onChoose(prompt);
      },
    }),
  );
}
