import type { SessionDescription, SessionInfo } from "../../../conversation/session-store.ts";
import { describeAge, type StoredSessions } from "../../../conversation/stored-sessions.ts";
import { ListPanel, type ListRow } from "../dialogs/list-panel.ts";
import type { PanelStage } from "../stage.ts";

export interface PickSessionOptions {
  sessions: StoredSessions;
  /** The ref of the session that is open now. */
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
 * @returns Its ref; undefined if the user has closed the list.
 * @throws The errors of the store; the list is then closed.
 */
export function pickSession(stage: PanelStage, options: PickSessionOptions): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const picker = new SessionPicker(stage, options, {
      choose(ref) {
        close();
        resolve(ref);
      },
      fail(error) {
        close();
        reject(error);
      },
    });
    const close = stage.open(picker.panel);
    picker.load();
  });
}

interface PickerEnd {
  choose(ref: string | undefined): void;
  fail(error: unknown): void;
}

class SessionPicker {
  readonly panel: ListPanel<string>;
  readonly #stage: PanelStage;
  readonly #options: PickSessionOptions;
  readonly #end: PickerEnd;
  readonly #described = new Map<string, ListRow<string>>();
  #showsAll = false;
  /** Counts the loads: only the latest one changes the list. */
  #load = 0;

  constructor(stage: PanelStage, options: PickSessionOptions, end: PickerEnd) {
    this.#stage = stage;
    this.#options = options;
    this.#end = end;
    this.panel = new ListPanel<string>({
      ...{ theme: stage.theme, title: "Sessions", rows: [], emptyText: "Reading the sessions …" },
      ...(options.current === undefined ? {} : { current: options.current }),
      onChoose: (ref) => {
        this.#load += 1;
        end.choose(ref);
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
    const load = this.#load;
    this.#read(load).catch((error: unknown) => {
      if (load === this.#load) this.#end.fail(error);
    });
  }

  async #read(load: number): Promise<void> {
    const { sessions } = this.#options;
    const infos = await sessions.list({ all: this.#showsAll, limit: maxSessions });
    for (let start = 0; start === 0 || start < infos.length; start += portion) {
      if (load !== this.#load) return;
      this.#show(infos);
      const further = infos.slice(start, start + portion).filter(({ ref }) => !this.#described.has(ref));
      const descriptions = await sessions.describe(further);
      for (const [index, info] of further.entries()) this.#described.set(info.ref, toRow(info, descriptions[index]));
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
}

function toRow(info: SessionInfo, { name, firstPrompt = "" }: Partial<SessionDescription> = {}): ListRow<string> {
  const prompt = firstPrompt.slice(0, maxPrompt) || "(no prompt)";
  const label = name === undefined ? prompt : `${name}: ${prompt}`;
  return { value: info.ref, label, detail: `${ageOf(info)} · ${info.cwd}` };
}

function ageOf({ modifiedMs }: SessionInfo): string {
  return describeAge(Date.now() - modifiedMs);
}
