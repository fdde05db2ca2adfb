import type { ImageContent } from "@pikit/ai";
import type { DescribingStore } from "../../conversation/session-store.ts";
import type { PromptInput } from "../../prompt/prompt-input.ts";
import type { StreamingBehavior } from "../../protocol/data.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../session/events.ts";
import type { ContributedShortcut } from "../../terminal-interface.ts";
import type { CommandObserver } from "../../tools/bash/run.ts";
import type { UserInterface } from "../../user-interface.ts";
import { endInTime } from "../end-in-time.ts";
import type { Block } from "./block.ts";
import { createCompletion } from "./commands/create-completion.ts";
import { StageUser } from "./dialogs/stage-user.ts";
import { Widgets } from "./dialogs/widgets.ts";
import { errorText } from "./error-text.ts";
import { createContributedViews } from "./extensions/contributed-blocks.ts";
import { EditorSlot } from "./extensions/editor-slot.ts";
import { StageTerminal } from "./extensions/stage-terminal.ts";
import { Attachments, type TextWithImages } from "./input/attachments.ts";
import type { Completion } from "./input/completion.ts";
import { PromptHistory } from "./input/history.ts";
import { type KeyBindings, readKeys } from "./input/keys.ts";
import { PromptEditor } from "./input/prompt-editor.ts";
import { createLiveParts } from "./layout/live-parts.ts";
import { type LiveParts, renderLiveRegion } from "./layout/live-region.ts";
import { StatusReader } from "./layout/status-reader.ts";
import { pictureMs, WorkLine } from "./layout/work-line.ts";
import type { Panel } from "./panel.ts";
import { BlockList } from "./screen/block-list.ts";
import { FrameClock } from "./screen/frame-clock.ts";
import { reflowsLines } from "./screen/rows.ts";
import { Screen } from "./screen/screen.ts";
import { Ticker } from "./screen/ticker.ts";
import { createActions } from "./session-actions.ts";
import { SessionKeys } from "./session-keys.ts";
import { ShellRuns } from "./shell-runs.ts";
import type { Stage } from "./stage.ts";
import { StrayOutput } from "./stray-output.ts";
import { sendPrompts, submit } from "./submit.ts";
import { TerminalDevice } from "./terminal-device.ts";
import { TerminalHold } from "./terminal-hold.ts";
import type { TerminalModeOptions } from "./terminal-settings.ts";
import { createThemes } from "./theme/create-themes.ts";
import type { TerminalTheme } from "./theme/terminal-theme.ts";
import type { ThemeList } from "./theme/theme-list.ts";
import { ConversationView } from "./view/conversation-view.ts";
import { noteBlock } from "./view/message-blocks.ts";

/**
 * A conversation in the terminal. Finished lines are printed into the terminal's scrollback; the others are drawn in a live region below them. Create
 * it, `start` it, then `show` a session; `ended` resolves when the user wants to leave.
 */
export class TerminalMode implements Stage {
  readonly user: StageUser;
  readonly ended: Promise<void>;
  /** Ends the mode. */
  readonly quit: () => void;
  readonly #options: TerminalModeOptions;
  readonly #theme: TerminalTheme;
  readonly #themes: ThemeList;
  readonly #device: TerminalDevice;
  readonly #screen: Screen;
  readonly #frames = new FrameClock(() => this.#draw());
  readonly #blocks = new BlockList();
  readonly #view: ConversationView;
  readonly #work = new WorkLine();
  readonly #status: StatusReader;
  readonly #history: PromptHistory;
  readonly #editor: EditorSlot;
  readonly #widgets = new Widgets();
  readonly #terminal: StageTerminal;
  readonly #bindings: KeyBindings;
  readonly #keys: SessionKeys;
  readonly #panels: Panel[] = [];
  readonly #shellRuns = new ShellRuns();
  readonly #stray = new StrayOutput((line) => this.note(line));
  readonly #hold: TerminalHold;
  readonly #ticker = new Ticker({
    everyMs: () => this.#work.look.frameMs ?? pictureMs,
    isMoving: () => this.#work.isActive || this.#view.isTicking,
    onTick: () => this.refresh(),
  });
  readonly #ready = Promise.withResolvers<AgentSession>();
  #session: AgentSession | undefined;
  #externalEditor: string | undefined;

  constructor(options: TerminalModeOptions) {
    const { settings, cwd } = options;
    this.#options = options;
    this.#externalEditor = settings.externalEditor;
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.quit = ended.resolve;
    const handlers = { onKey: (key: string) => this.#onKey(key), onResize: () => this.refresh(true), onGone: () => this.#onGone() };
    this.#device = new TerminalDevice(handlers, (text) => this.#stray.write(text));
    this.#screen = new Screen(this.#device, { reflows: reflowsLines() });
    this.#hold = new TerminalHold({ device: this.#device, screen: this.#screen, frames: this.#frames, stray: this.#stray });
    const { theme, themes } = createThemes(settings);
    this.#theme = theme;
    this.#themes = themes;
    this.#view = this.#createView();
    this.#view.showsThinking = settings.showThinking ?? false;
    this.#view.showsToolOutput = settings.showToolOutput ?? false;
    this.#status = new StatusReader(cwd, () => this.refresh());
    const { bindings, problems } = readKeys(settings.keys);
    this.#bindings = bindings;
    const { agentDir, isStored } = options;
    const onProblem = (problem: string) => this.note(problem, "warning");
    this.#history = new PromptHistory({ agentDir, isStored, messages: () => this.#session?.messages ?? [], onProblem });
    const completion = createCompletion({
      ...{ cwd, session: () => this.#session, contributions: () => this.#terminal.contributions },
    });
    this.#editor = new EditorSlot(this.#createEditor(completion));
    const actions = createActions({
      stage: this,
      editor: this.#editor,
      view: this.#view,
      shellRuns: this.#shellRuns,
      editorCommand: () => this.#externalEditor,
      carryOut: (act) => this.#carryOut(act),
      suspend: () => this.#hold.suspend(),
      redraw: () => this.#screen.clear(),
    });
    this.#keys = new SessionKeys(actions);
    this.#terminal = this.#createTerminal(completion);
    this.user = new StageUser(this, { widgets: this.#widgets, terminal: this.#terminal });
    this.#noteProblems([...(settings.problems ?? []), ...problems, ...this.#theme.problems]);
  }

  #createTerminal(completion: Completion): StageTerminal {
    return new StageTerminal({
      ...{ stage: this, theme: this.#theme, themes: this.#themes, editor: this.#editor, history: this.#history, completion },
      ...{ view: this.#view, work: this.#work, status: this.#status, widgets: this.#widgets },
      press: (action) => this.#keys.press(action),
      submit: (text, behavior) => this.#submit(text, [], behavior),
      release: () => this.#hold.release(),
      resume: () => this.#hold.resume(),
      onFailure: (error) => this.note(`A component of an extension has failed and is removed: ${errorText(error)}`, "error"),
    });
  }

  #noteProblems(problems: readonly string[]): void {
    for (const problem of problems) this.note(problem, "warning");
  }

  #createView(): ConversationView {
    const { theme } = this;
    const contributed = createContributedViews({
      ...{ theme, uiTheme: this.#theme.ui, contributions: () => this.#terminal.contributions, refresh: () => this.refresh() },
      isFull: () => this.#view.showsToolOutput,
    });
    return new ConversationView({ theme, cwd: this.#options.cwd, onChange: () => this.#onViewChanged(), ...contributed });
  }

  #createEditor(completion: Completion): PromptEditor {
    const { cwd } = this.#options;
    const note = (text: string) => this.note(text, "warning");
    const readClipboard = async () => (await import("./input/clipboard-image.ts")).readClipboardImage({ cwd });
    return new PromptEditor({
      theme: this.theme,
      stage: this,
      keys: this.#bindings,
      placeholder: "Ask anything · / commands · @ files · ! shell",
      history: this.#history,
      completion,
      images: new Attachments({ note, readClipboard }),
      onSubmit: (text, images) => this.#submit(text, images, "steer"),
      onFollowUp: (text, images) => this.#submit(text, images, "followUp"),
    });
  }

  get session(): AgentSession {
    if (!this.#session) throw new Error("The session is not open yet. Try again in a moment.");
    return this.#session;
  }

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  get store(): DescribingStore | undefined {
    return this.#options.store;
  }

  get theme() {
    return this.#theme.theme;
  }

  get themes(): StageTerminal {
    return this.#terminal;
  }

  get keys(): KeyBindings {
    return this.#bindings;
  }

  get shortcuts(): readonly ContributedShortcut[] {
    return this.#terminal.contributions?.shortcuts() ?? [];
  }

  get columns(): number {
    return this.#device.columns;
  }

  get rows(): number {
    return this.#device.rows;
  }

  get promptText(): string {
    return this.#editor.text;
  }

  /** Takes the terminal over from the first screen. */
  start(): void {
    const { first } = this.#options;
    const typed = first.takeKeys();
    this.#screen.adopt(first.lines, first.column);
    this.#hold.take(typed);
    this.writeSequence(this.#theme.query);
    this.#frames.request(true);
  }

  /** The options of the session that this mode shows. */
  get wiring(): { user: UserInterface; onCommandOutput: CommandObserver } {
    return { user: this.user, onCommandOutput: (toolCallId, _stream, text) => this.#view.showCommandOutput(toolCallId, text) };
  }

  /** Shows a session from now on, and sends the prompts to it. Resolves when they are accepted. */
  async show(session: AgentSession, prompts: Promise<readonly PromptInput[]>): Promise<void> {
    this.#session = session;
    session.subscribe((event) => this.#onEvent(event));
    void session.shutdown.requested.then(() => this.quit());
    if (session.messages.length > 0) this.showConversation();
    this.#status.follow(session);
    this.refresh(true);
    await session.start();
    this.#noteProblems(this.#themes.problems);
    if (!session.models.current) await (await import("./commands/first-steps.ts")).offerFirstSteps(this);
    await sendPrompts(this, await prompts);
    // Prompts that were typed in the meantime follow them.
    this.#ready.resolve(session);
  }

  /** Ends the session, and gives the terminal back. Resolves with the id to continue with; undefined if nothing was stored. */
  async close(): Promise<string | undefined> {
    const session = this.#session;
    await endInTime(Promise.all([session?.dispose(), this.#history.settled()]));
    this.#ticker.stop();
    await this.#hold.end();
    if (!session || session.messages.length === 0) return undefined;
    return session.sessionFile !== null || this.store ? session.sessionId : undefined;
  }

  /** Gives the terminal back at once, after a fault of the program. The mode shows nothing more. */
  abandon(): void {
    this.#ticker.stop();
    this.#hold.abandon();
  }

  add(block: Block): void {
    this.#blocks.add(block);
    this.refresh();
  }

  note(text: string, kind: "info" | "warning" | "error" = "info"): void {
    this.add(noteBlock(text, this.theme, kind));
  }

  refresh(now = false): void {
    this.#frames.request(now);
  }

  open(panel: Panel): () => void {
    this.#panels.push(panel);
    this.refresh(true);
    return () => {
      const index = this.#panels.indexOf(panel);
      if (index >= 0) this.#panels.splice(index, 1);
      this.refresh(true);
    };
  }

  get hasPanel(): boolean {
    return this.#panel !== undefined;
  }

  setPromptText(text: string): void {
    this.#editor.setText(text);
    this.refresh(true);
  }

  addToPrompt(prompts: readonly TextWithImages[]): void {
    this.#editor.prepend(prompts);
    this.refresh(true);
  }

  async reloadSettings(): Promise<void> {
    const { keys, theme, themeName, externalEditor, problems: others = [] } = await this.#options.readSettings();
    this.#externalEditor = externalEditor;
    const { bindings, problems } = readKeys(keys);
    this.#bindings.replaceBy(bindings);
    this.#theme.override(theme);
    this.#themes.reload(themeName);
    this.#noteProblems([...others, ...problems, ...this.#theme.problems, ...this.#themes.problems]);
    this.#terminal.invalidate();
    this.refresh(true);
  }

  showConversation(): void {
    for (const block of this.#view.showHistory(this.session.messages)) this.#blocks.add(block);
    this.#status.refresh();
    this.refresh(true);
  }

  lend<T>(use: () => Promise<T>): Promise<T> {
    return this.#hold.lend(use);
  }

  writeSequence(sequence: string): void {
    if (this.#device.isOpen && sequence !== "") this.#device.write(sequence);
  }

  #draw(): void {
    if (!this.#device.isOpen || this.#hold.isOver) return;
    const { columns, rows } = this.#device;
    const printed = this.#blocks.takeFinished(columns);
    this.#screen.draw(printed, renderLiveRegion(this.#liveParts(columns), columns, rows));
  }

  #liveParts(width: number): LiveParts {
    const session = this.#session;
    return createLiveParts(
      {
        ...{ theme: this.theme, keys: this.#bindings, blocks: this.#blocks, work: this.#work, status: this.#status },
        ...{ panel: this.#panel, editor: this.#editor, terminal: this.#terminal, widgets: this.#widgets },
        queued: session?.queues.texts ?? { steering: [], followUp: [] },
      },
      width,
    );
  }

  /** The panel in place of the editor. */
  get #panel(): Panel | undefined {
    return this.#panels.findLast((panel) => panel.isHidden !== true);
  }

  #onKey(key: string): void {
    if (this.#theme.take(key)) {
      this.#terminal.invalidate();
      this.refresh(true);
      return;
    }
    const left = this.#terminal.filterKey(key);
    if (left !== undefined) this.#handleKey(left);
    this.refresh(true);
  }

  #handleKey(key: string): void {
    const panel = this.#panel;
    if (panel) panel.handleKey(key);
    else if (this.#terminal.takeShortcut(key)) this.#keys.reset();
    else if (this.#editor.handleKey(key)) this.#keys.reset();
    else {
      const action = this.#bindings.sessionActionOf(key);
      if (action !== undefined) this.#keys.press(action);
    }
  }

  #onViewChanged(): void {
    this.#ticker.update();
    this.refresh();
  }

  #onEvent(event: AgentSessionEvent): void {
    for (const block of this.#view.show(event)) this.#blocks.add(block);
    this.#work.show(event);
    this.#status.show(event);
    this.#ticker.update();
    this.refresh();
  }

  #submit(text: string, images: readonly ImageContent[], behavior: StreamingBehavior): void {
    const onFailure = () => {
      if (this.promptText === "") this.#editor.setText(text, images);
    };
    this.#carryOut(async () => {
      await this.#ready.promise;
      const runShell = (command: string, isForModel: boolean) => this.#shellRuns.run(this, this.#view, command, isForModel);
      await submit(this, runShell, { text, images, behavior });
    }, onFailure);
  }

  /** Does what a key has asked for. A failure is shown. */
  #carryOut(act: () => unknown, onFailure = () => {}): void {
    void Promise.resolve()
      .then(act)
      .catch((error: unknown) => {
        this.note(errorText(error), "error");
        onFailure();
      });
  }

  #onGone(): void {
    this.#hold.lose();
    this.quit();
  }
}
