import { equal, match, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Checks, type ClientResult } from "../../lib/report.ts";
import { runProgram } from "../../lib/run-program.ts";
import { JsonLines, type JsonRecord } from "../lib/json-lines.ts";
import { binOf, cliPath, versionOf, type Workspace, withWorkspace } from "../lib/workspace.ts";

/** A connection to an agent over the Agent Client Protocol, as an editor has it. */
class Editor {
  readonly #lines: JsonLines;
  #lastId = 0;

  constructor(lines: JsonLines) {
    this.#lines = lines;
  }

  /** Sends a request and resolves with its result. */
  async ask(method: string, params: object): Promise<JsonRecord> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#lines.send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await this.#lines.find((record) => record.id === id && !("method" in record));
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return (result ?? {}) as JsonRecord;
  }

  tell(method: string, params: object): void {
    this.#lines.send({ jsonrpc: "2.0", method, params });
  }

  /** The updates of the session so far: their kinds and contents. */
  get updates(): JsonRecord[] {
    return this.#lines.records.flatMap(({ method, params }) =>
      method === "session/update" ? [(params as { update: JsonRecord }).update] : [],
    );
  }

  /** Waits for an update of this kind. */
  async waitFor(kind: string): Promise<void> {
    await this.#lines.find(
      ({ method, params }) => method === "session/update" && (params as { update: JsonRecord }).update.sessionUpdate === kind,
    );
  }

  /** The texts of the answers so far. */
  get text(): string {
    return this.updates
      .flatMap(({ sessionUpdate, content }) =>
        sessionUpdate === "agent_message_chunk" ? [String((content as { text?: unknown }).text ?? "")] : [],
      )
      .join("");
  }

  end(): Promise<number | null> {
    return this.#lines.end();
  }
}

/** Makes `model` the default of a machine: the adapter starts `pi` without options. */
async function chooseModel({ write }: Workspace, model: string): Promise<void> {
  const [defaultProvider = "", ...id] = model.split("/");
  await write("home/.pi/agent/settings.json", JSON.stringify({ defaultProvider, defaultModel: id.join("/") }));
}

/** Uses `pi-acp` as an editor does. */
export async function checkPiAcp(): Promise<ClientResult> {
  const about = "initialize, new session, prompt with a tool call, `/compact`, cancel, the end";
  const checks = new Checks("pi-acp, for editors with the Agent Client Protocol", await versionOf("pi-acp"), about);
  await withWorkspace(async (workspace) => {
    const { cwd, env } = workspace;
    await workspace.write("work/notes.txt", "x");
    const answers = [
      { text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "ls" } }] },
      { text: "One file." },
      { text: "A summary." },
      { toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] },
    ];
    await chooseModel(workspace, await workspace.script(...answers));
    const editor = new Editor(new JsonLines(process.execPath, [await binOf("pi-acp")], { cwd, env }));
    let sessionId = "";
    await checks.check("initialize", async () => {
      const { protocolVersion } = await editor.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
      equal(protocolVersion, 1);
    });
    await checks.check("session/new", async () => {
      sessionId = String((await editor.ask("session/new", { cwd, mcpServers: [] })).sessionId);
      ok(sessionId.length > 8);
    });
    const prompt = (text: string) => editor.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    await checks.check("session/prompt: the answer, and a tool call with its result", async () => {
      equal((await prompt("What is here?")).stopReason, "end_turn");
      match(editor.text, /I look\.[\s\S]*One file\./);
      const kinds = editor.updates.map(({ sessionUpdate }) => sessionUpdate);
      ok(kinds.includes("tool_call") && kinds.includes("tool_call_update"));
      match(JSON.stringify(editor.updates), /notes\.txt/);
    });
    await checks.check("/compact", async () => {
      equal((await prompt("/compact")).stopReason, "end_turn");
    });
    await checks.check("session/cancel during a tool call", async () => {
      const running = prompt("Wait");
      await editor.waitFor("tool_call");
      editor.tell("session/cancel", { sessionId });
      equal((await running).stopReason, "cancelled");
    });
    await checks.check("the end of the editor ends the adapter and pi", async () => {
      equal(typeof (await editor.end()), "number");
    });
  });
  return checks.result;
}

/** Uses `acpx`, a command line for such agents, through `pi-acp`. */
export async function checkAcpx(): Promise<ClientResult> {
  const checks = new Checks("acpx, through pi-acp", await versionOf("acpx"), "one prompt, as text and as JSON");
  await withWorkspace(async (workspace) => {
    const agent = `${process.execPath} ${await binOf("pi-acp")}`;
    await chooseModel(workspace, await workspace.script({ text: "Hello, editor." }));
    await checkExec(checks, workspace, agent);
  });
  return checks.result;
}

/** Uses `acpx` with `pi acp`. */
export async function checkAcpxWithPi(): Promise<ClientResult> {
  const about = "one prompt, as text and as JSON; permissions; files; a session with two prompts, its mode, its list and its end";
  const checks = new Checks("acpx, with pi acp", await versionOf("acpx"), about);
  await withWorkspace(async (workspace) => {
    const agent = `${process.execPath} ${cliPath} acp`;
    await chooseModel(workspace, await workspace.script({ text: "Hello, editor." }));
    await checkExec(checks, workspace, agent);
    const run = await acpx(workspace, agent);
    const risky = [{ toolCalls: [{ name: "bash", arguments: { command: "rm -rf gone" } }] }, { text: "Done." }];
    await checks.check("a risky command is asked about, and runs or not", async () => {
      await workspace.write("work/gone/file", "x");
      await chooseModel(workspace, await workspace.script(...risky));
      match((await run("--deny-all", "exec", "Go")).stdout, /Done\./);
      ok(existsSync(join(workspace.cwd, "gone")));
      await run("--approve-all", "exec", "Go");
      ok(!existsSync(join(workspace.cwd, "gone")));
    });
    await checks.check("a file is read and written by the client", async () => {
      await workspace.write("work/a.txt", "old");
      const write = { toolCalls: [{ name: "write", arguments: { path: "a.txt", content: "new" } }] };
      const read = { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] };
      await chooseModel(workspace, await workspace.script(write, read, { text: "Done." }));
      match((await run("--approve-all", "exec", "Go")).stdout, /fs\/write_text_file[\s\S]*fs\/read_text_file/);
      equal(await readFile(join(workspace.cwd, "a.txt"), "utf8"), "new");
    });
    await checks.check("a session: two prompts, a mode, the list, the end", async () => {
      await chooseModel(workspace, await workspace.script({ text: "One." }, { text: "Two." }));
      equal((await run("sessions", "new")).code, 0);
      match((await run("prompt", "First")).stdout, /One\./);
      match((await run("prompt", "Second")).stdout, /Two\./);
      match((await run("set-mode", "ask")).stdout, /ask/);
      match((await run("sessions", "list")).stdout, /First/);
      equal((await run("sessions", "close")).code, 0);
    });
  });
  return checks.result;
}

/** A function that runs `acpx` with an agent. */
async function acpx({ cwd, env }: Workspace, agent: string): Promise<(...args: string[]) => ReturnType<typeof runProgram>> {
  const program = await binOf("acpx");
  return (...args) => runProgram(process.execPath, [program, "--agent", agent, ...args], { cwd, env });
}

async function checkExec(checks: Checks, workspace: Workspace, agent: string): Promise<void> {
  const run = await acpx(workspace, agent);
  await checks.check("exec prints the answer", async () => {
    const { code, stdout } = await run("--approve-all", "exec", "Hi");
    equal(code, 0);
    match(stdout, /Hello, editor\./);
  });
  await checks.check("exec --format json prints the updates", async () => {
    const { stdout } = await run("--approve-all", "--format", "json", "exec", "Hi");
    const chunks = stdout.split("\n").flatMap((line) => /"agent_message_chunk".*"text":"([^"]*)"/.exec(line)?.[1] ?? []);
    match(chunks.join(""), /Hello, editor\.$/);
  });
}
