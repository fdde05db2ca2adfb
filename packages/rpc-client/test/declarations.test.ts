import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const declarations = join(packageFolder, "dist/index.d.ts");
const compiler = join(packageFolder, "../../node_modules/typescript/bin/tsc");
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What the compiler says about one program, with nothing but it and the standard library. */
async function compile(folder: string, program: string, compilerOptions: object): Promise<string> {
  folders.push(folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "program.ts"), program);
  const options = {
    module: "nodenext",
    target: "es2022",
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...compilerOptions,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return await promisify(execFile)(process.execPath, [compiler, "-p", folder]).then(
    () => "",
    ({ stdout }) => stdout,
  );
}

test.runIf(existsSync(declarations))(
  "the published declarations compile in a strict program that has nothing else installed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rpc-client-types-"));
    const installed = join(folder, "node_modules/@pikit/rpc-client");
    cpSync(join(packageFolder, "dist"), join(installed, "dist"), { recursive: true });
    const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    writeFileSync(join(installed, "package.json"), JSON.stringify({ ...manifest, exports: publishConfig.exports }));
    const program = `
    import { RpcClient, createPool, isRpcError, type AgentMessage, type ClientTool, type RpcEvent, type WireModel } from "@pikit/rpc-client";
    await using client = new RpcClient({ model: "demo/tour" });
    const messages: AgentMessage[] = await client.promptAndWait("Hi", { streamingBehavior: "steer" });
    const count: number = (await client.send("get_state", {})).messageCount + messages.length;
    const show = (event: RpcEvent): number | undefined =>
      event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"
        ? event.assistantMessageEvent.delta.length + event.message.content.length + count
        : undefined;
    for await (const event of client.events()) show(event);
    try { await client.abort(); } catch (error) { if (isRpcError(error) && error.name === "AgentProcessError") error.exitCode satisfies number | null; }
    client.onEvent("tool_execution_end", ({ isError, toolName }) => [isError satisfies boolean, toolName satisfies string]);
    const connected: RpcClient = await RpcClient.connect("http://127.0.0.1:4711", { token: async () => "t", create: { session: { id: "a" }, limits: { maxTurns: 3 } } });
    connected.onEvent("resync", ({ reason, state, message, running }) => [reason satisfies "start" | "epoch" | "overrun", state.sessionId, message?.content.length, running.map(({ toolCallId }) => toolCallId)]);
    try { await connected.abort(); } catch (error) { if (isRpcError(error) && error.name === "RpcConnectionError") error.code satisfies "outcome_unknown" | "events_missed"; }
    // @ts-expect-error: no such option of a session
    await RpcClient.connect("http://127.0.0.1:4711", { create: { modle: "demo/tour" } });
    // @ts-expect-error: how it works inside is no one's business
    new RpcClient({}, () => undefined);
    const tool: ClientTool<{ city: string }> = { name: "weather", description: "", parameters: {}, execute: ({ city }, { signal }) => signal.aborted ? undefined : city };
    const names: string[] = await client.setTools([tool]);
    const models: WireModel[] = await client.setModels([
      { id: "a", model: ({ context, signal }) => ({ stopReason: signal.aborted ? "length" : "stop", content: [{ type: "text", text: context.systemPrompt ?? "" }] }) },
      { id: "b", async *model({ modelId }) { yield { type: "text_start", contentIndex: 0 }; yield { type: "text_end", contentIndex: 0, content: modelId }; yield { stopReason: "stop" }; } },
    ]);
    names.push(...models.map(({ id }) => id));
    // @ts-expect-error: an answer has no such reason
    await client.setModels([{ id: "c", model: () => ({ stopReason: "tired" }) }]);
    client.onConfirm(({ title, message }) => title === message);
    client.onSelect(async ({ options }) => options[0]);
    // no race: this is compiled, and not run.
    for await (const text of client.text("Hi", { timeoutMs: 5 })) names.push(text);
    // no race: nor is this.
    const pool = createPool({ size: 2, model: "demo/tour", idleMs: 5 });
    const roots = await pool.use(async (agent) => (await agent.getTree()).tree.map(({ entry, children }) => [entry.id, children.length]));
    roots satisfies (string | number)[][];
    // @ts-expect-error: a confirmation is no number
    client.onConfirm(() => 1);
    // @ts-expect-error: no such command
    await client.send("make_coffee", {});
    // @ts-expect-error: the prompt has no text
    await client.send("prompt", {});
    // @ts-expect-error: no such event
    client.onEvent(({ type }) => type === "lunch");
  `;
    expect(await compile(folder, program, { lib: ["es2022", "esnext.disposable"] })).toBe("");
    expect(await compile(folder, program.replace("await using", "const"), { exactOptionalPropertyTypes: true })).toBe("");
  },
);

test.runIf(existsSync(declarations))("the published declarations say what the protocol's table says", async () => {
  const program = `
    import type * as source from "../../../src/index.ts";
    import type * as built from "../../../dist/index.d.ts";
    type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    type Same<A, B> = [A, B] extends [B, A] ? (Equal<keyof A, keyof B>) : false;
    export const sameCommands: Equal<source.CommandName, built.CommandName> = true;
    export const commands: { [N in source.CommandName]: [Same<source.CommandParams<N>, built.CommandParams<N>>, Same<source.CommandData<N>, built.CommandData<N>>] } =
      {} as { [N in source.CommandName]: [true, true] };
    export const sameEvents: Equal<source.EventName, built.EventName> = true;
    export const events: { [N in source.EventName]: Same<Extract<source.RpcEvent, { type: N }>, Extract<built.RpcEvent, { type: N }>> } =
      {} as { [N in source.EventName]: true };
    export const names: [
      Same<source.AgentMessage, built.AgentMessage>,
      Same<source.AssistantMessage, built.AssistantMessage>,
      Same<source.Attachment, built.Attachment>,
      Same<source.BashResult, built.BashResult>,
      Same<source.SessionState, built.SessionState>,
      Same<source.SessionEntry, built.SessionEntry>,
      Same<source.EntryTreeNode, built.EntryTreeNode>,
      Same<source.UiRequest, built.UiRequest>,
      Same<source.HostTool, built.HostTool>,
      Same<source.WireModel, built.WireModel>,
      Same<source.SessionState, built.WireModel>,
    ] = [true, true, true, true, true, true, true, true, true, true, false];
  `;
  // Inside the package, where the sources find what they import.
  const folder = join(packageFolder, "node_modules/.cache/types");
  const options = { customConditions: ["pikit-source"], lib: ["es2024", "esnext.disposable"], target: "es2024" };
  const sources = { allowImportingTsExtensions: true, skipLibCheck: true, exactOptionalPropertyTypes: true, types: ["node"] };
  expect(await compile(folder, program, { ...options, ...sources })).toBe("");
});
