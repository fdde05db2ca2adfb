import type { PromptSource } from "./input/prompt-source.ts";
import type { SessionActions } from "./session-keys.ts";
import type { ShellRuns } from "./shell-runs.ts";
import type { Stage } from "./stage.ts";
import type { ConversationView } from "./view/conversation-view.ts";

export interface ActionParts {
  stage: Stage;
  editor: PromptSource;
  view: ConversationView;
  shellRuns: ShellRuns;
  /** The command of the external editor in the settings. */
  editorCommand(): string | undefined;
  /** Does something that may fail; the failure is shown. */
  carryOut(act: () => unknown): void;
  suspend(): void;
  /** Clears the screen and draws it again. */
  redraw(): void;
}

/** Creates the actions for the keys of the session. */
export function createActions(parts: ActionParts): SessionActions {
  const { stage, editor, view, shellRuns, carryOut, suspend, redraw } = parts;
  return {
    stage,
    get isWorking() {
      if (!stage.isOpen) return false;
      const { isStreaming, compaction } = stage.session;
      return isStreaming || compaction.isCompacting || shellRuns.isActive;
    },
    stopWork() {
      stage.session.shell.abort();
      carryOut(() => stage.session.abort());
    },
    clearPrompt: () => editor.clear(),
    goBack: () => carryOut(async () => (await import("./commands/branch-commands.ts")).pickEarlierMessage(stage)),
    suspend,
    redraw,
    editQueue: () => carryOut(() => takeQueue(stage)),
    editExternally: () => carryOut(() => openEditor(stage, editor, parts.editorCommand())),
    cycleModel: () =>
      carryOut(async () => {
        const model = await stage.session.models.cycle();
        stage.note(model ? `The model is ${model.provider}/${model.id}.` : "There is no other model: /model shows them all.");
      }),
    cycleThinking: () =>
      carryOut(async () => {
        const level = await stage.session.models.cycleLevel();
        stage.note(level === undefined ? "This model has no thinking levels." : `The thinking level is ${level}.`);
      }),
    toggleThinking() {
      view.showsThinking = !view.showsThinking;
      stage.note(view.showsThinking ? "Thinking is shown in full from now on." : "Thinking is folded from now on.");
    },
    toggleToolOutput() {
      view.showsToolOutput = !view.showsToolOutput;
      stage.note(
        view.showsToolOutput ? "More output of tools is shown from now on." : "Less output of tools is shown from now on.",
      );
    },
  };
}

/** Takes the queued messages back into the editor, above what it has. */
async function takeQueue(stage: Stage): Promise<void> {
  const messages = await stage.session.queues.takeAll();
  if (messages.length === 0) stage.note("Nothing is queued.");
  else stage.addToPrompt(messages);
}

async function openEditor(stage: Stage, editor: PromptSource, command: string | undefined): Promise<void> {
  const lend: Stage["lend"] = (use) => stage.lend(use);
  const { editExternally } = await import("./input/external-editor.ts");
  const edited = await editExternally(editor.expandedText, { cwd: stage.session.cwd, command, lend });
  if ("problem" in edited) stage.note(edited.problem, "warning");
  else stage.setPromptText(edited.text);
}
