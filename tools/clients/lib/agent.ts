import { JsonLines, type JsonRecord } from "./json-lines.ts";
import { cliPath, type Workspace } from "./workspace.ts";

/** The answers of a user to dialogs, by method; a dialog without one is cancelled. */
export type DialogAnswers = Readonly<Record<string, { value: string } | { confirmed: boolean }>>;

const dialogs: ReadonlySet<unknown> = new Set(["select", "confirm", "input", "editor"]);

/** `pi --mode rpc` with extensions and a scripted model, and a user who answers its dialogs. */
export class Agent {
  readonly lines: JsonLines;
  #answers: DialogAnswers = {};
  #lastId = 0;

  /** @param answers - What the model answers, one for each call. */
  static async start(workspace: Workspace, extensions: readonly string[], answers: readonly object[] = []): Promise<Agent> {
    const model = answers.length === 0 ? "demo/tour" : await workspace.script(...answers);
    const options = extensions.flatMap((path) => ["-e", path]);
    return new Agent(workspace, ["--mode", "rpc", "--stream", "deltas", "--model", model, ...options]);
  }

  private constructor({ cwd, env }: Workspace, args: readonly string[]) {
    this.lines = new JsonLines(process.execPath, [cliPath, ...args], { cwd, env });
    this.#answerDialogs().catch(() => undefined); // ends with the process
  }

  /** How the user answers later dialogs. */
  answerWith(answers: DialogAnswers): void {
    this.#answers = answers;
  }

  /** Sends a prompt or a slash command, and resolves with everything that came until its work has ended. */
  async prompt(message: string): Promise<JsonRecord[]> {
    this.#lastId += 1;
    const id = `prompt ${this.#lastId}`;
    const from = this.lines.records.length;
    this.lines.send({ id, type: "prompt", message });
    const isOver = (record: JsonRecord) => record.id === id && (record.type === "prompt_result" || record.success === false);
    const last = await this.lines.find(isOver, from);
    if (last.success === false) throw new Error(String(last.error));
    return this.lines.records.slice(from);
  }

  /** Sends a command, and resolves with the data of its response. */
  async ask(command: { type: string; [field: string]: unknown }): Promise<JsonRecord> {
    const { success, error, data } = await this.lines.request(command);
    if (success !== true) throw new Error(String(error));
    return (data ?? {}) as JsonRecord;
  }

  /** The names of the slash commands. */
  async commandNames(): Promise<string[]> {
    const { commands } = await this.ask({ type: "get_commands" });
    return (commands as { name: string }[]).map(({ name }) => name);
  }

  /** What an extension has asked a user interface to show so far, as text. */
  get shown(): string {
    return this.lines.records
      .flatMap((record) => (record.type === "extension_ui_request" ? [JSON.stringify(record)] : []))
      .join("\n");
  }

  /** What went wrong with extensions so far: failures of handlers, and what was said on stderr. */
  get problems(): string[] {
    const failures = this.lines.records.flatMap(({ type, event, error }) =>
      type === "extension_error" ? [`${event}: ${error}`] : [],
    );
    const said = this.lines.stderr.split("\n").filter((line) => /was not loaded|has no effect|There is no event/.test(line));
    return [...said, ...failures];
  }

  end(): Promise<number | null> {
    return this.lines.end();
  }

  async #answerDialogs(): Promise<void> {
    for (let from = 0; ; from += 1) {
      const dialog = await this.lines.find(({ type, method }) => type === "extension_ui_request" && dialogs.has(method), from);
      from = this.lines.records.indexOf(dialog);
      const answer = this.#answers[String(dialog.method)] ?? { cancelled: true };
      this.lines.send({ type: "extension_ui_response", id: dialog.id, ...answer });
    }
  }
}

/** The text of the results of a tool among records. */
export function resultsOf(toolName: string, records: readonly JsonRecord[]): string {
  return records
    .flatMap((record) =>
      record.type === "tool_execution_end" && record.toolName === toolName ? [JSON.stringify(record.result)] : [],
    )
    .join("\n");
}

/** One call of a tool, as an answer of a scripted model. */
export function call(name: string, args: object): object {
  return { toolCalls: [{ name, arguments: args }] };
}
