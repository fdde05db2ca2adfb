import { equal, match, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Agent, call, resultsOf } from "../lib/agent.ts";
import type { Workspace } from "../lib/workspace.ts";

/** What an example must do, as its own first lines say. */
export interface ExampleFlow {
  /** What the model answers, one for each call. */
  answers?: readonly object[];
  /** Makes what the example looks for, before it is loaded. */
  prepare?(workspace: Workspace): Promise<void>;
  run(agent: Agent, workspace: Workspace): Promise<void>;
}

const done = { text: "Done." };

function bash(command: string): object {
  return call("bash", { command });
}

async function state(agent: Agent): Promise<Readonly<Record<string, unknown>>> {
  return agent.ask({ type: "get_state" });
}

/** The flow of a tool that is called once. */
function toolFlow(name: string, args: object, expected: RegExp): ExampleFlow {
  return {
    answers: [call(name, args), done],
    run: async (agent) => match(resultsOf(name, await agent.prompt("Go")), expected),
  };
}

/** The flow of a command that shows something. */
function commandFlow(command: string, expected: RegExp, answers: readonly object[] = [done]): ExampleFlow {
  return {
    answers,
    async run(agent) {
      await agent.prompt(command);
      match(agent.shown, expected);
    },
  };
}

/** The flow of what is shown during a run. */
function runFlow(expected: RegExp): ExampleFlow {
  return {
    answers: [done],
    async run(agent) {
      await agent.prompt("Hi");
      match(agent.shown, expected);
    },
  };
}

/** By the name of the example, without `.ts`. */
export const exampleFlows: Readonly<Record<string, ExampleFlow>> = {
  hello: toolFlow("hello", { name: "Ann" }, /Hello, Ann!/),
  todo: toolFlow("todo", { action: "add", text: "Lamps" }, /#1: Lamps/),
  "structured-output": {
    answers: [call("structured_output", { headline: "Two lamps", summary: "There are two.", actionItems: ["Look"] }), done],
    run: async (agent) => match(resultsOf("structured_output", await agent.prompt("Go")), /Two lamps/),
  },
  "dynamic-tools": {
    answers: [call("echo_session", { message: "lamp" }), done, call("echo_other", { message: "ship" }), done],
    async run(agent) {
      match(resultsOf("echo_session", await agent.prompt("Go")), /\[session\] lamp/);
      await agent.prompt("/add-echo-tool echo_other");
      match(resultsOf("echo_other", await agent.prompt("Go")), /\[echo_other\] ship/);
    },
  },
  "tool-override": {
    answers: [call("read", { path: ".env" }), done],
    async run(agent, workspace) {
      await workspace.write("work/.env", "KEY=1");
      match(resultsOf("read", await agent.prompt("Go")), /Access denied/);
    },
  },
  "permission-gate": {
    answers: [bash("rm -rf lamp"), done, bash("rm -rf lamp"), done],
    async run(agent, workspace) {
      await workspace.write("work/lamp/one", "x");
      agent.answerWith({ select: { value: "No" } });
      match(resultsOf("bash", await agent.prompt("Go")), /Blocked by user/);
      equal(await readFile(join(workspace.cwd, "lamp/one"), "utf8"), "x");
      agent.answerWith({ select: { value: "Yes" } });
      ok(!/Blocked/.test(resultsOf("bash", await agent.prompt("Go"))));
    },
  },
  "protected-paths": toolFlow("write", { path: ".env", content: "KEY=2" }, /is protected/),
  "input-transform": {
    answers: [done],
    async run(agent) {
      await agent.prompt("ping");
      match(agent.shown, /pong/);
      await agent.prompt("?quick how many lamps");
      match(JSON.stringify(await agent.ask({ type: "get_messages" })), /Respond briefly in 1-2 sentences: how many lamps/);
    },
  },
  "inline-bash": {
    answers: [done],
    async run(agent) {
      await agent.prompt("There are !{echo two} lamps");
      match(JSON.stringify(await agent.ask({ type: "get_messages" })), /There are two/);
    },
  },
  "session-name": {
    async run(agent) {
      await agent.prompt("/session-name lamps");
      equal((await state(agent)).sessionName, "lamps");
    },
  },
  "send-user-message": {
    answers: [{ text: "Two." }],
    async run(agent) {
      await agent.prompt("/ask How many lamps?");
      await agent.lines.find(({ type }) => type === "session_settled");
      equal((await agent.ask({ type: "get_last_assistant_text" })).text, "Two.");
    },
  },
  "shutdown-command": {
    async run(agent) {
      agent.lines.send({ type: "prompt", message: "/quit" });
      equal(await agent.lines.ended, 0);
    },
  },
  bookmark: {
    answers: [done],
    async run(agent) {
      await agent.prompt("Hi");
      await agent.prompt("/bookmark lamp");
      match(JSON.stringify(await agent.ask({ type: "get_tree" })), /"label":"lamp"/);
      await agent.prompt("/unbookmark");
      match(agent.shown, /Removed bookmark: lamp/);
    },
  },
  "event-bus": commandFlow("/emit lamp", /Event from \/emit command: lamp/),
  "entry-renderer": {
    async run(agent) {
      await agent.prompt("/status-card");
      match(JSON.stringify(await agent.ask({ type: "get_entries" })), /"customType":"status-card"/);
    },
  },
  "message-renderer": {
    async run(agent) {
      await agent.prompt("/status lamps are on");
      match(JSON.stringify(await agent.ask({ type: "get_messages" })), /lamps are on/);
    },
  },
  "status-line": runFlow(/Turn 1.*complete|complete/),
  "rpc-demo": {
    answers: [done],
    async run(agent) {
      agent.answerWith({ input: { value: "lamp" }, confirm: { confirmed: false } });
      await agent.prompt("Hi");
      match(agent.shown, /Turn 1 done/);
      await agent.prompt("/rpc-input");
      match(agent.shown, /You entered: lamp/);
      equal((await agent.ask({ type: "new_session" })).cancelled, true);
    },
  },
  "timed-confirm": {
    async run(agent) {
      agent.answerWith({ confirm: { confirmed: true }, select: { value: "Option B" } });
      await agent.prompt("/timed");
      match(agent.shown, /Confirmed by user!/);
      await agent.prompt("/timed-select");
      match(agent.shown, /Selected: Option B/);
    },
  },
  "confirm-destructive": {
    answers: [done],
    async run(agent) {
      agent.answerWith({ confirm: { confirmed: false } });
      await agent.prompt("Hi");
      equal((await agent.ask({ type: "new_session" })).cancelled, true);
      equal((await state(agent)).messageCount, 2);
    },
  },
  "widget-placement": {
    async run(agent) {
      await state(agent);
      match(agent.shown, /Above editor widget/);
      match(agent.shown, /"widgetPlacement":"belowEditor"/);
    },
  },
  "plan-mode": {
    answers: [call("write", { path: "x", content: "y" }), done],
    async run(agent) {
      await agent.prompt("/plan");
      match(agent.shown, /Plan mode enabled/);
    },
  },
  pirate: commandFlow("/pirate", /Pirate mode enabled/),
  "system-prompt-header": runFlow(/System: \d+ chars/),
  commands: {
    async run(agent) {
      agent.answerWith({ select: { value: "---" } });
      await agent.prompt("/commands");
      match(agent.shown, /Available Commands/);
      match(agent.shown, /\/commands/);
    },
  },
  "trigger-compact": {
    answers: [done, { text: "A summary." }],
    async run(agent) {
      await agent.prompt("Hi");
      await agent.prompt("/trigger-compact");
      await agent.lines.find(({ type, message }) => type === "extension_ui_request" && message === "Compaction completed");
    },
  },
  "dynamic-resources": {
    async run(agent) {
      ok((await agent.commandNames()).some((name) => name.includes("dynamic")));
    },
  },
  "with-deps": toolFlow("parse_duration", { duration: "2 days" }, /172800000/),
  "bash-spawn-hook": toolFlow("bash", { command: "echo $PI_SPAWN_HOOK" }, /1/),
};
