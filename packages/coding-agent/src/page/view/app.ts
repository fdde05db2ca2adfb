import { isToken, readAddress, toFragment } from "../address.ts";
import { describeError } from "../model/session.ts";
import { Api } from "../wire/api.ts";
import { Announcer } from "./announcer.ts";
import { element, setText } from "./dom.ts";
import { SessionList } from "./session-list.ts";
import { SessionView } from "./session-view.ts";
import { createTokenForm } from "./token-form.ts";

const tokenKey = "pi.token";

/** The whole page: asks for the token, and shows the list of the sessions and the one that the address names. */
export class App {
  readonly #root: HTMLElement;
  readonly #announcer = new Announcer();
  readonly #problem = element("p", { class: "problem failed", role: "alert" });
  readonly #hint = element("p", { class: "hint dim" }, "Choose a session, or begin a new one.");
  readonly #main = element("main", {}, this.#problem, this.#hint);
  #list: SessionList | undefined;
  #api: Api | undefined;
  #view: SessionView | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    addEventListener("hashchange", () => this.#onAddress());
    addEventListener("online", () => this.#view?.session.reconnect());
    document.addEventListener("visibilitychange", () => this.#onVisible());
    document.addEventListener("keydown", (event) => this.#onKey(event));
    this.#onAddress();
  }

  /** Takes the token from the address, so that neither the history nor a bookmark has it, and shows what the address names. */
  #onAddress(): void {
    const { token, session } = readAddress(location.hash);
    if (token !== undefined) {
      history.replaceState(null, "", location.pathname + toFragment(session));
      sessionStorage.setItem(tokenKey, token);
      this.#closeAll();
    }
    if (!this.#api) this.#start();
    this.#show(session);
  }

  #start(reason?: string): void {
    this.#closeAll();
    const token = sessionStorage.getItem(tokenKey) ?? "";
    if (!isToken(token)) {
      this.#root.replaceChildren(createTokenForm(reason, (given) => this.#useToken(given)));
      return;
    }
    const api = new Api({ token, onUnauthorized: () => this.#forget(api) });
    this.#api = api;
    this.#list = new SessionList({
      api,
      models: () => (this.#view?.session.models ?? []).map(({ provider, id }) => `${provider}/${id}`),
      onError: (error) => setText(this.#problem, describeError(error)),
      onOpen: (id) => {
        location.hash = toFragment(id);
      },
    });
    this.#root.replaceChildren(this.#list.root, this.#main, this.#announcer.root);
    void this.#list.refresh();
  }

  #useToken(token: string): void {
    sessionStorage.setItem(tokenKey, token);
    this.#start();
    this.#show(readAddress(location.hash).session);
  }

  /** The server refused the token. */
  #forget(api: Api): void {
    if (api !== this.#api) return;
    sessionStorage.removeItem(tokenKey);
    this.#start("The server refused the token.");
  }

  #show(session: string | undefined): void {
    if (!this.#api || !this.#list) return;
    setText(this.#problem, "");
    this.#root.classList.toggle("has-session", session !== undefined);
    this.#hint.hidden = session !== undefined;
    this.#list.select(session);
    if (this.#view?.session.id === session) return;
    this.#view?.close();
    this.#view = undefined;
    if (session === undefined) {
      document.title = "pi";
      void this.#list.refresh();
      return;
    }
    this.#view = new SessionView(session, {
      api: this.#api,
      announcer: this.#announcer,
      onMoved: (id) => {
        location.hash = toFragment(id);
      },
    });
    this.#main.append(this.#view.root);
    // On a phone, the focus would open the keyboard over the conversation.
    if (!matchMedia("(pointer: coarse)").matches) this.#view.focus();
  }

  #closeAll(): void {
    this.#view?.close();
    this.#list?.close();
    this.#view = undefined;
    this.#list = undefined;
    this.#api = undefined;
    this.#root.classList.remove("has-session");
  }

  #onVisible(): void {
    if (document.visibilityState !== "visible") return;
    this.#view?.session.reconnect();
    void this.#list?.refresh();
  }

  #onKey(event: KeyboardEvent): void {
    const isElsewhere = event.isComposing || document.querySelector("dialog[open]") !== null;
    if (event.key === "Escape" && !isElsewhere) this.#view?.abort();
  }
}
