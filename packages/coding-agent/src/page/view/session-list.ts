import { toFragment } from "../address.ts";
import type { Api, NewSession, StoredSession } from "../wire/api.ts";
import { element } from "./dom.ts";
import { formatLocal } from "./item-views.ts";
import { askFields } from "./text-dialog.ts";

/** Milliseconds between two requests of the list while the page is visible. */
const intervalMs = 10_000;

export interface SessionListOptions {
  api: Api;
  /** The ids of models that are known, to choose from. */
  models: () => readonly string[];
  onError: (error: unknown) => void;
  /** Opens a session. */
  onOpen: (id: string) => void;
}

/** The list of the stored sessions. */
export class SessionList {
  readonly root: HTMLElement;
  readonly #options: SessionListOptions;
  readonly #list = element("ul", {});
  readonly #timer: ReturnType<typeof setInterval>;
  #sessions: readonly StoredSession[] = [];
  #current: string | undefined;
  #shown = "";

  constructor(options: SessionListOptions) {
    this.#options = options;
    const begin = element("button", { class: "main", onclick: () => void this.#begin() }, "New session");
    const head = element("div", { class: "row" }, element("h1", {}, "Sessions"), element("span", { class: "space" }), begin);
    this.root = element("nav", { class: "sessions", "aria-label": "Sessions" }, head, this.#list);
    this.#timer = setInterval(() => document.visibilityState === "visible" && void this.refresh(), intervalMs);
  }

  /** Reads the list again. */
  async refresh(): Promise<void> {
    try {
      this.#sessions = await this.#options.api.listSessions();
      this.#show();
    } catch (error) {
      // A conversation that is open says that the connection is broken.
      if (this.#current === undefined) this.#options.onError(error);
    }
  }

  /** Marks the session that is open. */
  select(id: string | undefined): void {
    this.#current = id;
    this.#show();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #begin(): Promise<void> {
    const folders = [...new Set(this.#sessions.map(({ cwd }) => cwd))];
    const values = await askFields("New session", [
      { label: "Folder", placeholder: "the first folder of the server", choices: folders },
      { label: "Model", placeholder: "the default model", choices: this.#options.models() },
      { label: "Name", placeholder: "none" },
    ]);
    if (!values) return;
    const [cwd = "", model = "", name = ""] = values.map((value) => value.trim());
    const options: NewSession = { ...(cwd !== "" && { cwd }), ...(model !== "" && { model }), ...(name !== "" && { name }) };
    try {
      this.#options.onOpen(await this.#options.api.beginSession(options));
      await this.refresh();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #show(): void {
    // The list comes again and again: it is only replaced if it differs, so that the focus stays.
    const key = JSON.stringify([this.#current, this.#sessions]);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : undefined;
    const rows = this.#sessions.map((session) => createRow(session, session.id === this.#current));
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [element("li", { class: "dim" }, "No sessions yet.")]));
    if (focused) this.#list.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

function createRow(session: StoredSession, isCurrent: boolean): HTMLElement {
  const { id, name, firstPrompt, cwd, modifiedAt } = session;
  const title = name ?? firstPrompt ?? `Session ${id}`;
  const marks = marksOf(session).map((mark) => element("span", { class: `mark ${mark.kind}` }, mark.text));
  const folder = cwd.split(/[/\\]/).filter(Boolean).slice(-2).join("/");
  const facts = element("span", { class: "dim", title: cwd }, `${folder} · ${formatLocal(new Date(modifiedAt))}`);
  const link = element(
    "a",
    { href: toFragment(id), "aria-current": isCurrent ? "page" : undefined },
    element("span", { class: "title" }, title.slice(0, maxTitle)),
    facts,
    ...marks,
  );
  return element("li", {}, link);
}

const maxTitle = 200;

function marksOf({ live, streaming, waiting, interrupted }: StoredSession): { kind: string; text: string }[] {
  const marks = [];
  if (waiting > 0) marks.push({ kind: "waiting", text: waiting === 1 ? "question" : `${waiting} questions` });
  if (streaming) marks.push({ kind: "streaming", text: "working" });
  else if (live) marks.push({ kind: "live", text: "live" });
  if (interrupted) marks.push({ kind: "interrupted", text: "interrupted" });
  return marks;
}
