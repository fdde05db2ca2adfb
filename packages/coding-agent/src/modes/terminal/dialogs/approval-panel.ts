import { type ApprovalAnswer, type ApprovalQuestion, answersTo } from "../../../user-interface.ts";
import { cut, toSafeLine } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { Theme } from "../theme/theme.ts";
import { type Choice, ConfirmPanel } from "./confirm-panel.ts";
import { TextPanel } from "./text-panel.ts";

export interface ApprovalPanelOptions {
  theme: Theme;
  question: ApprovalQuestion;
  /** See `ConfirmPanel`. */
  quietMs: number;
  onAnswer(answer: ApprovalAnswer): void;
}

type Chosen = ApprovalAnswer["decision"] | "reason";

/** Maximum characters of the description of what an answer for the session allows. */
const maxScope = 60;

/**
 * Asks whether a tool call may run, with the whole command or diff: `y`, `a` for this session, `s` always, `n`, `x` no for this session, `f` never,
 * `r` for no with a reason. Esc is no.
 */
export class ApprovalPanel implements Panel {
  readonly #options: ApprovalPanelOptions;
  readonly #question: ConfirmPanel<Chosen>;
  /** The line for the reason, while it is open. */
  #reason: TextPanel | undefined;

  constructor(options: ApprovalPanelOptions) {
    this.#options = options;
    const { theme, question, quietMs } = options;
    this.#question = new ConfirmPanel({
      ...{ theme, title: question.title, warning: question.reasons, text: question.call, quietMs },
      ...(question.isDiff ? { style: (line: string) => styleOf(theme, line) } : {}),
      choices: choicesFor(question),
      escLabel: "no",
      onAnswer: (answer = "no") => this.#answer(answer),
    });
  }

  render(width: number, rows: number): string[] {
    return (this.#reason ?? this.#question).render(width, rows);
  }

  handleKey(key: string): void {
    (this.#reason ?? this.#question).handleKey(key);
  }

  #answer(answer: Chosen): void {
    const { theme, question, onAnswer } = this.#options;
    if (answer !== "reason") {
      onAnswer({ decision: answer });
      return;
    }
    this.#reason = new TextPanel({
      ...{ theme, title: "Why not? The model reads your answer.", placeholder: "what it should do instead" },
      text: toSafeLine(question.call),
      onAnswer: (reason) => {
        this.#reason = undefined;
        // After Esc the question is open again.
        if (reason !== undefined) onAnswer({ decision: "no", ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });
      },
    });
  }
}

function choicesFor(question: ApprovalQuestion): Choice<Chosen>[] {
  const { sessionScope, ruleFile } = question;
  const scope = sessionScope === undefined ? "" : cut(toSafeLine(sessionScope), maxScope);
  const file = ruleFile === undefined ? "" : cut(toSafeLine(ruleFile), maxScope);
  const choices: Choice<Chosen>[] = [
    { key: "y", label: "yes, once", value: "once" },
    { key: "a", label: `for this session (${scope})`, value: "session" },
    { key: "s", label: `always (rule in ${file})`, value: "always" },
    { key: "n", label: "no", value: "no" },
    { key: "x", label: "no, for this session", value: "never" },
    { key: "f", label: "never", value: "forbid" },
    { key: "r", label: "no, with a reason", value: "reason" },
  ];
  const possible = new Set<Chosen>([...answersTo(question), "reason"]);
  return choices.filter(({ value }) => possible.has(value));
}

function styleOf(theme: Theme, line: string): (text: string) => string {
  if (line.startsWith("+")) return theme.added;
  return line.startsWith("-") ? theme.removed : theme.dim;
}
