import { describeError, describeRefusal, Session } from "../model/session.ts";
import type { Api } from "../wire/api.ts";
import type { Announcer } from "./announcer.ts";
import { Composer } from "./composer.ts";
import { ConversationView } from "./conversation-view.ts";
import { element, FrameTask } from "./dom.ts";
import { QuestionView } from "./question-view.ts";
import { SessionBar } from "./session-bar.ts";

export interface SessionViewOptions {
  api: Api;
  announcer: Announcer;
  /** The session has another id. */
  onMoved: (id: string) => void;
}

/** One session: its conversation, questions and prompt. */
export class SessionView {
  readonly root: HTMLElement;
  readonly session: Session;
  readonly #announcer: Announcer;
  readonly #conversation = new ConversationView();
  readonly #bar: SessionBar;
  readonly #widgets = element("pre", { class: "widgets", hidden: true });
  readonly #questions: QuestionView;
  readonly #composer: Composer;
  readonly #task = new FrameTask(() => this.#update());

  constructor(id: string, { api, announcer, onMoved }: SessionViewOptions) {
    this.#announcer = announcer;
    this.#bar = new SessionBar({ run: (action) => this.#run(action), session: () => this.session });
    this.#questions = new QuestionView((question, answer) => this.#run(() => this.session.answer(question, answer)));
    this.#composer = new Composer({
      onSend: (message, attachments, during) => this.session.prompt(message, attachments, during),
      onAbort: () => this.abort(),
      onError: (text) => this.#fail(text),
    });
    const view = this.#conversation;
    this.session = new Session(api, id, {
      onReset: (items) => view.onReset(items),
      onAdded: (item) => view.onAdded(item),
      onChanged: (item) => view.onChanged(item),
      onRemoved: (item) => view.onRemoved(item),
      onCallChanged: (state) => view.onCallChanged(state),
      onChange: () => this.#task.plan(),
      onAnnounce: (text) => announcer.say(text),
      onDraft: (text) => this.#composer.setText(text),
      onMoved,
    });
    view.use(this.session.conversation);
    this.root = element(
      "div",
      { class: "session" },
      this.#bar.root,
      view.root,
      this.#widgets,
      this.#questions.root,
      this.#composer.root,
    );
    this.#acceptFiles();
    this.session.open();
  }

  focus(): void {
    this.#composer.focus();
  }

  /** Stops the run. */
  abort(): void {
    if (this.session.isStreaming) this.#run(() => this.session.commands.run("abort", {}));
  }

  close(): void {
    this.session.close();
    this.root.remove();
  }

  #acceptFiles(): void {
    this.root.addEventListener("dragover", (event) => event.preventDefault());
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.#composer.attach([...(event.dataTransfer?.files ?? [])]);
    });
  }

  #update(): void {
    const { session } = this;
    this.#bar.update(session);
    this.#questions.update(session.questions.open);
    this.#composer.update({
      isStreaming: session.isStreaming,
      queued: [...session.queued.steering, ...session.queued.followUp],
    });
    const lines = [...session.widgets.values()].flat();
    this.#widgets.hidden = lines.length === 0;
    this.#widgets.textContent = lines.join("\n");
    const count = session.questions.open.length;
    document.title = `${count > 0 ? "(?) " : session.isStreaming ? "… " : ""}${session.state?.sessionName ?? "pi"}`;
    if (session.connection.name === "refused") this.#refuse(describeRefusal(session.connection.error));
  }

  #isRefused = false;

  #refuse(reason: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#fail(reason);
  }

  #run(action: () => Promise<unknown>): void {
    action().catch((error: unknown) => this.#fail(describeError(error)));
  }

  #fail(text: string): void {
    this.session.conversation.addNotice(text, true);
    this.#announcer.say(text);
  }
}
