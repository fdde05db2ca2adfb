import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionInfo } from "../../../conversation/session-store.ts";
import { allSessionFolders, describeAge, describeStored, listStored } from "../../../conversation/stored-sessions.ts";
import { ListPanel, type ListRow } from "../dialogs/list-panel.ts";
import type { PanelStage } from "../stage.ts";

export interface PickSessionOptions {
  /** The folder with the sessions of the current working folder. */
  folder: string;
  agentDir: string;
  /** The path of the session that is open now. */
  current?: string | undefined;
}

/** Maximum number of sessions in the list, the latest ones. */
const maxSessions = 2000;
/** Number of sessions that are described before the list is shown again. */
const portion = 25;
/** Characters of a first prompt in the list. */
const maxPrompt = 200;

/**
 * Lets the user choose a stored session: those of this folder, and with Tab those of all folders. It needs no session, so that it can be shown
 * before one is opened. Names and first prompts are read while the list is shown.
 *
 * @returns The path of its file; undefined if the user has closed the list.
 */
export function pickSession(stage: PanelStage, options: PickSessionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const picker = new SessionPicker(stage, options, (path) => {
      close();
      resolve(path);
    });
    const close = stage.open(picker.panel);
    picker.load();
  });
}

class SessionPicker {
  readonly panel: ListPanel<string>;
  readonly #stage: PanelStage;
  readonly #options: PickSessionOptions;
  readonly #described = new Map<string, ListRow<string>>();
  #showsAll = false;
  /** Counts the loads: only the latest one changes the list. */
  #load = 0;

  constructor(stage: PanelStage, options: PickSessionOptions, onChoose: (path: string | undefined) => void) {
    this.#stage = stage;
    this.#options = options;
    this.panel = new ListPanel<string>({
      ...{ theme: stage.theme, title: "Sessions", rows: [], emptyText: "Reading the sessions …" },
      ...(options.current === undefined ? {} : { current: options.current }),
      onChoose: (path) => {
        this.#load += 1;
        onChoose(path);
      },
      onTab: () => {
        this.#showsAll = !this.#showsAll;
        this.load();
      },
    });
  }

  /** Reads the sessions and shows them. */
  load(): void {
    this.#load += 1;
    void this.#read(this.#load);
  }

  async #read(load: number): Promise<void> {
    const { folder, agentDir } = this.#options;
    const folders = this.#showsAll ? [...new Set([folder, ...(await allSessionFolders(agentDir))])] : [folder];
    const infos = await listStored(folders, maxSessions);
    for (let start = 0; start === 0 || start < infos.length; start += portion) {
      if (load !== this.#load) return;
      this.#show(infos);
      for (const info of infos.slice(start, start + portion)) {
        if (!this.#described.has(info.ref)) this.#described.set(info.ref, this.#toRow(info));
      }
      // Reading is synchronous: keys come between the portions.
      await nextTurn();
    }
    if (load === this.#load) this.#show(infos);
  }

  #show(infos: readonly SessionInfo[]): void {
    const rows = infos.map((info) => this.#described.get(info.ref) ?? { value: info.ref, label: info.id, detail: ageOf(info) });
    const title = this.#showsAll ? "Sessions of all folders" : "Sessions of this folder";
    this.panel.setRows(rows, {
      ...{ title, hint: this.#showsAll ? "Tab this folder" : "Tab all folders" },
      emptyText: this.#showsAll ? "There are no sessions yet." : "This folder has no sessions yet. Tab shows those of all folders.",
    });
    this.#stage.refresh();
  }

  #toRow(info: SessionInfo): ListRow<string> {
    const { name, firstPrompt = "" } = describeStored(info);
    const prompt = firstPrompt.slice(0, maxPrompt) || "(no prompt)";
    const label = name === undefined ? prompt : `${name}: ${prompt}`;
    return { value: info.ref, label, detail: `${ageOf(info)} · ${info.cwd}` };
  }
}

function ageOf({ modifiedMs }: SessionInfo): string {
  return describeAge(Date.now() - modifiedMs);
}
