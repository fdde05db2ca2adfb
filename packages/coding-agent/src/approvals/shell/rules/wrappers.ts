import { type Call, describe, type Rule } from "../call.ts";
import type { RiskKind } from "../findings.ts";
import { readOptions } from "../options.ts";
import { type Input, nothing, type Shell, unknown } from "../shell.ts";
import type { Arg } from "../words.ts";
import { runArg, runInput, runOptionText } from "./shells.ts";

interface Wrapper {
  /** Options with a value. */
  valued?: string;
  /** The number of operands before the command, such as a duration or a container. */
  skip?: number;
  /** Subcommands that run a command, such as `exec` in `pnpm exec`. */
  verbs?: string;
  /** The risk of the wrapper itself. */
  risk?: RiskKind;
  /** Options whose value is a script. */
  text?: string[];
  /** Whether the command runs in a container. */
  isElsewhere?: boolean;
}

const container =
  "e env env-file u user w workdir v volume p publish name network entrypoint m memory l label h hostname mount platform cpus c n " +
  "container namespace f file index profile project-name";
const sudo = "u user g group h host p prompt C close-from D chdir R chroot r role t type T command-timeout U other-user";

const wrappers: Record<string, Wrapper> = {
  nohup: {},
  time: { valued: "f format o output" },
  nice: { valued: "n adjustment" },
  ionice: { valued: "c class n classdata p pid" },
  timeout: { valued: "k kill-after s signal", skip: 1 },
  stdbuf: { valued: "i input o output e error" },
  setsid: {},
  chrt: { skip: 1, valued: "T P D" },
  taskset: { skip: 1 },
  builtin: {},
  exec: { valued: "a" },
  coproc: {},
  unbuffer: {},
  caffeinate: { valued: "t w" },
  strace: { valued: "e o p s u P E a" },
  ltrace: { valued: "e o p s u a" },
  valgrind: {},
  "xvfb-run": { valued: "n s server-num server-args e f" },
  fakeroot: { valued: "l s i" },
  busybox: {},
  toybox: {},
  shx: {},
  flock: { valued: "w timeout E", skip: 1, text: ["c", "command"] },
  script: { valued: "c command", text: ["c", "command"], skip: 1 },
  npx: { valued: "p package c call", text: ["c", "call"] },
  bunx: {},
  pnpx: {},
  npm: { verbs: "exec x", valued: "p package c call w workspace", text: ["c", "call"] },
  pnpm: { verbs: "exec dlx", valued: "C dir filter F package" },
  yarn: { verbs: "exec dlx", valued: "p package" },
  bun: { verbs: "x" },
  uv: { verbs: "run", valued: "p python with extra group project directory" },
  uvx: { valued: "p python from with" },
  poetry: { verbs: "run", valued: "C directory" },
  pipenv: { verbs: "run" },
  bundle: { verbs: "exec" },
  conda: { verbs: "run", valued: "n name p prefix" },
  docker: { verbs: "run exec", valued: container, skip: 1, isElsewhere: true },
  podman: { verbs: "run exec", valued: container, skip: 1, isElsewhere: true },
  "docker-compose": { verbs: "run exec", valued: container, skip: 1, isElsewhere: true },
  kubectl: { verbs: "exec", valued: container, skip: 1, isElsewhere: true },
  sudo: { valued: sudo, risk: "otherUser" },
  doas: { valued: "u C", risk: "otherUser" },
  pkexec: { valued: "user", risk: "otherUser" },
  run0: { valued: "u user g group D chdir", risk: "otherUser" },
  runuser: { valued: "u user g group c command s shell", risk: "otherUser", text: ["c", "command"] },
  su: { valued: "c command g group s shell w", risk: "otherUser", text: ["c", "command"], skip: Number.POSITIVE_INFINITY },
  chroot: { valued: "userspec groups", skip: 1, risk: "system" },
  nsenter: { valued: "t target S G", risk: "system" },
  unshare: { valued: "S G R w", risk: "system" },
  "systemd-run": { valued: "p property u unit M machine slice description on-calendar on-active", risk: "system" },
};

function runWrapped(call: Call, wrapper: Wrapper): Input {
  const { reader, shell } = call;
  if (wrapper.risk) reader.risk(wrapper.risk, describe(call));
  const rest = wrapper.verbs === undefined ? call.args : afterVerb(call.args, wrapper);
  if (!rest) return unknown;
  const options = readOptions(rest, wrapper.valued, { untilOperand: wrapper.skip !== Number.POSITIVE_INFINITY });
  runOptionText(call, options, ...(wrapper.text ?? []));
  let words = options.operands.slice(wrapper.skip ?? 0);
  if (words[0]?.text === "--") words = words.slice(1);
  // `flock file -c text`
  if (wrapper.text && words[0]?.text === "-c" && words[1]) return runArg(call, words[1], shell.fork());
  const inner = wrapper.isElsewhere ? shell.fork({ isElsewhere: true }) : shell;
  return runWords(call, withoutAssignments(words), inner);
}

function afterVerb(args: readonly Arg[], { verbs = "", valued }: Wrapper): Arg[] | undefined {
  const { operands } = readOptions(args, valued, { untilOperand: true });
  const [verb, ...rest] = operands;
  if (verb?.text === "compose") return afterVerb(rest, { verbs, ...(valued === undefined ? {} : { valued }) });
  return verb?.text !== undefined && verbs.split(" ").includes(verb.text) ? rest : undefined;
}

function withoutAssignments(words: readonly Arg[]): readonly Arg[] {
  const start = words.findIndex(({ text, source }) => !/^[A-Za-z_]\w*=/.test(text ?? source));
  return start === -1 ? [] : words.slice(start);
}

function runWords({ reader, input, isRepeated }: Call, words: readonly Arg[], shell: Shell): Input {
  return reader.run(words, { input, shell, isRepeated });
}

const env: Rule = (call) => {
  const options = readOptions(call.args, "u unset C chdir S split-string", { untilOperand: true });
  const [folder] = options.values("C", "chdir");
  const shell = folder
    ? call.shell.fork({ folder: folder.text === undefined ? undefined : call.shell.resolve(folder.text) })
    : call.shell;
  const [text] = options.values("S", "split-string");
  if (text) return runArg({ ...call, shell }, { ...text, text: joinTexts([text, ...options.operands]) });
  return runWords(call, withoutAssignments(options.operands), shell);
};

const command: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "", { untilOperand: true });
  return has("v", "V") ? unknown : runWords(call, operands, call.shell);
};

/** Joins its operands and runs them in a shell. */
const watch: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "n interval", { untilOperand: true });
  if (has("x", "exec")) return runWords(call, operands, call.shell);
  return runJoined(call, operands, call.shell);
};

/** Runs a command on another machine, which has no working folder. */
const ssh: Rule = (call) => {
  const { operands } = readOptions(call.args, "b c D E e F I i J L l m O o p Q R S W w B", { untilOperand: true });
  const [, ...words] = operands;
  const remote = call.shell.fork({ folder: undefined });
  return words.length > 0 ? runJoined(call, words, remote) : runInput({ ...call, shell: remote }, call.input);
};

function runJoined(call: Call, words: readonly Arg[], shell: Shell): Input {
  if (words.length === 0) return nothing;
  const [first] = words;
  return runArg(call, { ...(first as Arg), text: joinTexts(words) }, shell.fork());
}

function joinTexts(words: readonly Arg[]): string | undefined {
  // Parts that are only known at run time stay in the text as variables.
  return words[0]?.text === undefined ? undefined : words.map(({ text, source }) => text ?? source).join(" ");
}

export const wrapperRules = new Map<string, Rule>([
  ...Object.entries(wrappers).map(([name, wrapper]): [string, Rule] => [name, (call) => runWrapped(call, wrapper)]),
  ["env", env],
  ["command", command],
  ["watch", watch],
  ["ssh", ssh],
]);
