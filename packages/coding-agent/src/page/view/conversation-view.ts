import type { CallState, Conversation, ConversationListener, Item } from "../model/conversation.ts";
import type { CallView } from "./call-view.ts";
import { element, FrameTask } from "./dom.ts";
import { createItemView, type ItemView } from "./item-views.ts";

/** Distance to the end in pixels within which the view follows new content. */
const followDistance = 60;
/** Milliseconds of work on older messages before the browser gets a turn. */
const sliceMs = 12;
/** After an update that took long, the next one waits this many times as long: the page stays usable whatever arrives. */
const restFactor = 3;

/** The messages of a session. Changes are shown at most once per animation frame, and only what has changed is rendered. */
export class ConversationView implements ConversationListener {
  readonly root: HTMLElement;
  readonly #list = element("div", { class: "items" });
  readonly #toEnd: HTMLButtonElement;
  readonly #task = new FrameTask(() => this.#flush());
  readonly #views = new Map<Item, ItemView>();
  readonly #calls = new WeakMap<CallState, CallView>();
  readonly #added = new Set<Item>();
  readonly #changed = new Set<Item>();
  readonly #changedCalls = new Set<CallState>();
  /** Items of the history that are not shown yet: all before this index. */
  #olderEnd = 0;
  #older: readonly Item[] = [];
  #conversation: Conversation | undefined;
  #follows = true;
  #lastTop = 0;
  /** The time before which nothing is rendered, in milliseconds. */
  #restsUntil = 0;

  constructor() {
    this.#toEnd = element(
      "button",
      { class: "to-end", type: "button", hidden: true, onclick: () => this.scrollToEnd() },
      "Latest ↓",
    );
    this.root = element(
      "div",
      { class: "log", role: "region", "aria-label": "Conversation", tabindex: "0", onscroll: () => this.#onScroll() },
      this.#list,
      this.#toEnd,
    );
    // A question above the prompt, images and messages whose height was an estimate move the end.
    const observer = new ResizeObserver(() => this.#follows && this.scrollToEnd());
    observer.observe(this.root);
    observer.observe(this.#list);
  }

  /** Sets the conversation that is shown. */
  use(conversation: Conversation): void {
    this.#conversation = conversation;
  }

  onReset(items: readonly Item[]): void {
    this.#views.clear();
    this.#added.clear();
    this.#changed.clear();
    this.#changedCalls.clear();
    this.#list.replaceChildren();
    this.#older = [...items];
    this.#olderEnd = items.length;
    this.#follows = true;
    this.#showOlder();
  }

  onAdded(item: Item): void {
    this.#added.add(item);
    this.#task.plan();
  }

  onChanged(item: Item): void {
    this.#changed.add(item);
    this.#task.plan();
  }

  onRemoved(item: Item): void {
    this.#added.delete(item);
    this.#views.get(item)?.root.remove();
    this.#views.delete(item);
  }

  onCallChanged(state: CallState): void {
    this.#changedCalls.add(state);
    this.#task.plan();
  }

  scrollToEnd(): void {
    this.#follows = true;
    this.root.scrollTop = this.root.scrollHeight;
  }

  #flush(): void {
    const start = performance.now();
    if (start < this.#restsUntil) {
      this.#task.plan();
      return;
    }
    for (const item of this.#added) {
      const view = this.#create(item);
      if (view) this.#list.append(view.root);
    }
    for (const item of this.#changed) if (!this.#added.has(item)) this.#views.get(item)?.update();
    for (const state of this.#changedCalls) this.#calls.get(state)?.show(state);
    this.#added.clear();
    this.#changed.clear();
    this.#changedCalls.clear();
    if (this.#follows) this.root.scrollTop = this.root.scrollHeight;
    const tookMs = performance.now() - start;
    if (tookMs > sliceMs) this.#restsUntil = start + tookMs * (1 + restFactor);
  }

  #create(item: Item): ItemView | undefined {
    if (!this.#conversation) return undefined;
    const view = this.#tryCreate(item, this.#conversation);
    this.#views.set(item, view);
    return view;
  }

  #tryCreate(item: Item, conversation: Conversation): ItemView {
    try {
      return createItemView(item, conversation, this.#calls);
    } catch {
      // Another program wrote the message with a different shape: show its JSON.
      const text = JSON.stringify("message" in item ? item.message : item, null, 2);
      return { root: element("article", {}, element("pre", {}, text)), update() {} };
    }
  }

  /** Shows the history from its end, in slices: a long one is readable at once. */
  #showOlder(): void {
    const items = this.#older;
    const start = performance.now();
    const height = this.root.scrollHeight;
    const created: Node[] = [];
    while (this.#olderEnd > 0 && performance.now() - start < sliceMs) {
      this.#olderEnd -= 1;
      const item = items[this.#olderEnd];
      const view = item && this.#create(item);
      if (view) created.push(view.root);
    }
    this.#list.prepend(...created.reverse());
    if (this.#follows) this.root.scrollTop = this.root.scrollHeight;
    else this.root.scrollTop += this.root.scrollHeight - height;
    if (this.#olderEnd > 0) setTimeout(() => this.#older === items && this.#showOlder());
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.root;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < followDistance;
    // Only the user scrolls up; the end also moves away when content grows.
    if (isAtEnd) this.#follows = true;
    else if (scrollTop < this.#lastTop) this.#follows = false;
    this.#lastTop = scrollTop;
    this.#toEnd.hidden = isAtEnd || this.#follows;
  }
}
