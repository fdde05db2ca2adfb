import { formatCost, formatCount } from "../../render/format.ts";
import type { Session, ThinkingLevel } from "../model/session.ts";
import { element, setText } from "./dom.ts";
import { askText } from "./text-dialog.ts";

export interface SessionBarOptions {
  /** Runs an action and shows its error. */
  run: (action: () => Promise<unknown>) => void;
  session: () => Session | undefined;
}

/** Above a conversation: its name, model, thinking level and usage, and what can be done with it. */
export class SessionBar {
  readonly root: HTMLElement;
  readonly #options: SessionBarOptions;
  readonly #name = element("h1", {}, "");
  readonly #facts = element("p", { class: "facts dim" });
  readonly #connection = element("p", { class: "connection", role: "status" });
  readonly #model: HTMLSelectElement;
  readonly #level: HTMLSelectElement;
  #shownModels: unknown;
  #shownLevels: unknown;

  constructor(options: SessionBarOptions) {
    this.#options = options;
    this.#model = element("select", { "aria-label": "Model", onchange: () => this.#setModel() });
    this.#level = element("select", { "aria-label": "Thinking", onchange: () => this.#setLevel() });
    const back = element("a", { class: "back", href: "#", "aria-label": "All sessions" }, "‹");
    const rename = element("button", { onclick: () => this.#rename() }, "Rename");
    const compact = element(
      "button",
      { onclick: () => this.#compact(), title: "Replace the earlier conversation by a summary" },
      "Compact",
    );
    this.root = element(
      "header",
      { class: "bar" },
      element("div", { class: "row" }, back, this.#name, this.#connection),
      element("div", { class: "row controls" }, this.#model, this.#level, rename, compact, this.#facts),
    );
  }

  update(session: Session): void {
    const { state, stats, connection } = session;
    setText(this.#name, state?.sessionName ?? "Session");
    setText(this.#connection, describeConnection(session));
    this.#connection.classList.toggle("failed", connection.name === "broken" || connection.name === "refused");
    const context = stats?.contextUsage.percent;
    const facts = [
      stats ? formatCost(stats.cost) : "",
      stats ? `${formatCount(stats.tokens.total)} tokens` : "",
      context === null || context === undefined ? "" : `context ${Math.round(context)} %`,
      ...session.statuses.values(),
    ];
    setText(this.#facts, facts.filter((fact) => fact !== "").join(" · "));
    this.#updateModels(session);
    this.#updateLevels(session);
  }

  #updateModels({ models, state }: Session): void {
    const current = state?.model ? `${state.model.provider}/${state.model.id}` : "";
    if (models !== this.#shownModels || !this.#hasOption(current)) {
      this.#shownModels = models;
      const providers = new Map<string, HTMLElement>();
      for (const { provider, id, name } of models) {
        const group = providers.get(provider) ?? element("optgroup", { label: provider });
        providers.set(provider, group);
        group.append(element("option", { value: `${provider}/${id}` }, name === "" ? id : name));
      }
      this.#model.replaceChildren(...providers.values());
      // A model that is not listed works, too.
      if (!this.#hasOption(current))
        this.#model.prepend(element("option", { value: current }, current === "" ? "No model" : current));
    }
    this.#model.value = current;
  }

  #updateLevels({ levels, state }: Session): void {
    if (levels !== this.#shownLevels) {
      this.#shownLevels = levels;
      this.#level.replaceChildren(...levels.map((level) => element("option", { value: level }, `think: ${level}`)));
    }
    this.#level.hidden = levels.length < 2;
    if (state) this.#level.value = state.thinkingLevel;
  }

  #hasOption(value: string): boolean {
    return [...this.#model.options].some((option) => option.value === value);
  }

  #setModel(): void {
    const { value } = this.#model;
    const slash = value.indexOf("/");
    this.#run((session) => session.setModel(value.slice(0, slash), value.slice(slash + 1)));
  }

  #setLevel(): void {
    const level = this.#level.value as ThinkingLevel;
    this.#run((session) => session.setThinkingLevel(level));
  }

  #rename(): void {
    this.#run(async (session) => {
      const name = await askText("Name of the session", session.state?.sessionName ?? "");
      if (name !== undefined && name.trim() !== "") await session.commands.run("set_session_name", { name });
    });
  }

  #compact(): void {
    this.#run((session) => session.commands.run("compact", {}));
  }

  #run(action: (session: Session) => Promise<unknown>): void {
    const session = this.#options.session();
    if (session) this.#options.run(() => action(session));
  }
}

function describeConnection({ connection, isLoading, isCompacting, isStreaming }: Session): string {
  switch (connection.name) {
    case "connecting":
      return "Connecting …";
    case "broken":
      return "The connection is broken. Trying again …";
    case "refused":
      return "Not connected";
    case "open":
      if (isLoading) return "Reading …";
      return isCompacting ? "Summarising …" : isStreaming ? "Working …" : "";
  }
}
