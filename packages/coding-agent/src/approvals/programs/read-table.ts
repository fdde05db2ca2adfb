import { fieldsOf } from "../shell/words.ts";

/** A part of what a program does: an action of `actions.ts`, and the arguments that it is about. */
export interface Step {
  action: string;
  on: string;
}

/** The steps of a call that begins with these words and has these options. Each item is a list of choices. */
export interface Row {
  words: readonly (readonly string[])[];
  options: readonly (readonly string[])[];
  steps: readonly Step[];
  /** Whether other rows and the steps of the program do not count then. */
  isOnly: boolean;
}

export interface Program {
  valued: ReadonlySet<string>;
  /** Options with a value of single subcommands. */
  valuedOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** The steps of every call. */
  steps: readonly Step[];
  /** Whether calls that no row matches are unknown. */
  isOpen: boolean;
  rows: readonly Row[];
}

/** Finds programs by their names. Each one is read when it is needed. */
export function readTable(text: string): (name: string) => Program | undefined {
  const blocks = new Map<string, string>();
  const programs = new Map<string, Program>();
  // Long lines continue with more indentation.
  for (const block of text
    .trim()
    .replace(/\n {4,}/g, " ")
    .split(/\n+(?=\S)/)) {
    for (const name of fieldsOf(block.split(/ [(=+] ?|\n/, 1)[0] ?? "")) blocks.set(name, block);
  }
  return (name) => {
    const block = blocks.get(name);
    if (block === undefined) return undefined;
    const program = programs.get(block) ?? readProgram(block);
    programs.set(block, program);
    return program;
  };
}

function readProgram(block: string): Program {
  const [first = "", ...lines] = block.split("\n");
  const [, valued = "", sign, steps = ""] = /^.*?(?: \(([^)]*)\))?(?: ([=+]) (.*))?$/.exec(first) ?? [];
  const valuedOf = new Map<string, Set<string>>();
  const rows: Row[] = [];
  for (const line of lines) {
    const [, verbs, names = ""] = /^ {2}\((\S+) (.*)\)$/.exec(line) ?? [];
    for (const verb of verbs?.split("|") ?? []) valuedOf.set(verb, new Set(names.split(" ")));
    if (verbs === undefined) rows.push(...readRows(line));
  }
  return { valued: new Set(valued.split(" ")), valuedOf, steps: readSteps(steps), isOpen: sign !== "=", rows };
}

function readSteps(text: string): Step[] {
  const steps = text.split(", ").filter((step) => step !== "");
  return steps.map((step) => {
    const [action = "", on = "all"] = step.split(" ");
    return { action, on };
  });
}

/** `steps: pattern, pattern` */
function readRows(line: string): Row[] {
  const [, only, steps = "", patterns = ""] = /^ *(only )?(.*?): (.*)$/.exec(line) ?? [];
  return patterns.split(",").map((pattern) => {
    const choices = fieldsOf(pattern).map((word) => word.split("|"));
    const isOption = ([choice = ""]: readonly string[]) => /^(-|\{\}|\(\))/.test(choice);
    return {
      words: choices.filter((choice) => !isOption(choice)),
      options: choices.filter(isOption),
      steps: readSteps(steps),
      isOnly: only !== undefined,
    };
  });
}
