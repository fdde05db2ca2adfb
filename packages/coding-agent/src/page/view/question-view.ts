import { renderUnifiedDiff } from "../../render/diff.ts";
import type { Question } from "../model/questions.ts";
import { element, setHtml } from "./dom.ts";

type Answer = { value?: string; confirmed?: boolean; cancelled?: boolean };
type Confirmation = Extract<Question, { method: "confirm" }>;

/** Shows the oldest open question above the prompt. It takes no focus: a key that was meant for the prompt must not answer it. */
export class QuestionView {
  readonly root = element("section", { class: "questions", "aria-label": "Question", hidden: true });
  readonly #onAnswer: (id: string, answer: Answer) => void;
  #shown: string | undefined;

  constructor(onAnswer: (id: string, answer: Answer) => void) {
    this.#onAnswer = onAnswer;
  }

  update(questions: readonly Question[]): void {
    const [first] = questions;
    const key = first ? `${first.id} ${questions.length}` : undefined;
    if (key === this.#shown) return;
    this.#shown = key;
    this.root.hidden = first === undefined;
    this.root.replaceChildren(...(first ? this.#create(first, questions.length) : []));
  }

  #create(question: Question, count: number): Node[] {
    const answer = (given: Answer) => this.#onAnswer(question.id, given);
    // The title of an approval has the whole question.
    const [first = "", ...others] = question.title.split("\n");
    const rest = others.join("\n").trim();
    const title = element("h2", {}, first);
    const more = count > 1 ? [element("p", { class: "dim" }, `${count - 1} more behind it`)] : [];
    const details = rest === "" ? [] : [element("pre", {}, rest)];
    return [title, ...details, ...createFields(question, answer), ...more];
  }
}

function createFields(question: Question, answer: (given: Answer) => void): Node[] {
  switch (question.method) {
    case "confirm":
      return question.approval ? createApproval(question.approval, answer) : createConfirmation(question, answer);
    case "select":
      return [
        row(
          ...question.options.map((option, index) => createButton(option, () => answer({ value: option }), index === 0)),
          createButton("Cancel", () => answer({ cancelled: true })),
        ),
      ];
    case "input": {
      const field = element("input", { "aria-label": question.title, placeholder: question.placeholder });
      return createForm(field, answer);
    }
    case "editor": {
      const field = element("textarea", { "aria-label": question.title, rows: "6" });
      field.value = question.prefill ?? "";
      return createForm(field, answer);
    }
  }
}

function createConfirmation({ message }: Confirmation, answer: (given: Answer) => void): Node[] {
  const yes = createButton("Yes", () => answer({ confirmed: true }), true);
  const no = createButton("No", () => answer({ confirmed: false }));
  return [element("pre", {}, message), row(yes, no)];
}

/** The answers that make a rule, in the order of their buttons. */
const lasting = [
  ["session", "Yes, for this session"],
  ["always", "Always"],
  ["never", "No, for this session"],
  ["forbid", "Never"],
] as const;

/** A tool call: why it is asked about, the whole command or change, and the rule that the longer answers make. */
function createApproval(approval: NonNullable<Confirmation["approval"]>, answer: (given: Answer) => void): Node[] {
  const { reasons, call, isDiff, answers, rule, ruleFile } = approval;
  const offered = lasting.filter(([value]) => answers.includes(value));
  const scope = rule === undefined ? [] : [element("p", { class: "dim" }, describeRule(rule, answers, ruleFile))];
  return [
    ...(reasons === "" ? [] : [element("p", {}, reasons)]),
    isDiff ? createDiff(call) : element("pre", {}, call),
    row(
      createButton("Yes", () => answer({ confirmed: true }), true),
      createButton("No", () => answer({ confirmed: false })),
      ...offered.map(([value, label]) => createButton(label, () => answer({ value }))),
    ),
    ...scope,
  ];
}

function describeRule(rule: string, answers: readonly string[], ruleFile: string | undefined): string {
  const file = answers.includes("always") && ruleFile !== undefined ? ` Always and Never write it to ${ruleFile}.` : "";
  return `The longer answers make the rule ${rule}.${file}`;
}

function createDiff(diff: string): HTMLElement {
  const frame = element("div");
  setHtml(frame, renderUnifiedDiff(diff));
  return frame;
}

function createForm(field: HTMLInputElement | HTMLTextAreaElement, answer: (given: Answer) => void): Node[] {
  const submit = (event: Event) => {
    event.preventDefault();
    answer({ value: field.value });
  };
  const buttons = row(
    element("button", { class: "main" }, "OK"),
    createButton("Cancel", () => answer({ cancelled: true })),
  );
  return [element("form", { onsubmit: submit }, field, buttons)];
}

function createButton(label: string, onclick: () => void, isMain = false): HTMLButtonElement {
  return element("button", { type: "button", class: isMain ? "main" : undefined, onclick }, label);
}

function row(...children: Node[]): HTMLElement {
  return element("div", { class: "row" }, ...children);
}
