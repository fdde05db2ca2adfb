import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished } from "vitest";
import { type CliOptions, cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import type { Workspace } from "../../helpers/workspace.ts";
import { findViolations, type Message } from "./acp-schema.ts";

export interface EditorOptions extends CliOptions {
  capabilities?: ClientCapabilities;
  /** Answers a permission request with the id of an option. Default: the first one that allows once. `never`: no answer. */
  onPermission?: (request: RequestPermissionRequest) => string | "never";
  /** Answers other requests of the agent, by method. */
  answers?: Record<string, (params: Record<string, unknown>) => unknown>;
}

/** `pi acp` as a real process, driven by the client of the official SDK. Both directions are checked against the SDK's schema. */
export class Editor {
  readonly child: ChildProcessWithoutNullStreams;
  readonly agent: ClientConnection["agent"];
  readonly sent: Message[] = [];
  readonly received: Message[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  stderr = "";
  #changed = Promise.withResolvers<void>();

  constructor(child: ChildProcessWithoutNullStreams, options: EditorOptions) {
    this.child = child;
    child.stdin.on("error", () => {}); // it has ended
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const app = client({ name: "test-editor" })
      .onNotification("session/update", () => {})
      .onRequest("session/request_permission", async ({ params }) => {
        this.permissions.push(params);
        const allowed = params.options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
        const optionId = options.onPermission?.(params) ?? allowed;
        if (optionId === "never") return new Promise(() => {});
        return { outcome: { outcome: "selected", optionId } };
      });
    for (const [method, answer] of Object.entries(options.answers ?? {})) {
      app.onRequest(
        method,
        (params: unknown) => params as Record<string, unknown>,
        async ({ params }) => answer(params),
      );
    }
    const output = new TransformStream<Uint8Array, Uint8Array>(recorder((message) => this.sent.push(message)));
    const input = new TransformStream<Uint8Array, Uint8Array>(recorder((message) => this.#receive(message)));
    void output.readable.pipeTo(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>).catch(() => {});
    void (Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>).pipeTo(input.writable).catch(() => {});
    this.agent = app.connect(ndJsonStream(output.writable, input.readable)).agent;
  }

  /** The updates of a session so far, or those of one kind. */
  updates<K extends SessionUpdate["sessionUpdate"]>(kind: K): Extract<SessionUpdate, { sessionUpdate: K }>[];
  updates(): SessionUpdate[];
  updates(kind?: string): SessionUpdate[] {
    return this.received.flatMap(({ method, params }) => {
      const { update } = (params ?? {}) as { update?: SessionUpdate };
      return method === "session/update" && update && (kind === undefined || update.sessionUpdate === kind) ? [update] : [];
    });
  }

  /** The text of the answers so far. */
  get answer(): string {
    return this.textOf("agent_message_chunk");
  }

  /** The joined text of all chunks of a kind. */
  textOf(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string {
    return this.updates(kind)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Resolves when the agent has sent a message like this. */
  async waitFor(isMatch: (message: Message) => boolean): Promise<Message> {
    for (let index = 0; ; index += 1) {
      while (index >= this.received.length) await this.#changed.promise;
      const message = this.received[index] as Message;
      if (isMatch(message)) return message;
    }
  }

  /** Opens a new session. */
  async begin(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request("session/new", { cwd, mcpServers: [] });
    return sessionId;
  }

  /** Sends a text, and resolves with the reason why the run has ended. */
  async prompt(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return stopReason;
  }

  #receive(message: Message): void {
    this.received.push(message);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Passes bytes on, and reads the messages in them. */
function recorder(onMessage: (message: Message) => void): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let held = "";
  return {
    transform(chunk, controller) {
      const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) if (line !== "") onMessage(JSON.parse(line) as Message);
      controller.enqueue(chunk);
    },
  };
}

/** Starts `pi acp`, and initialises it. */
export async function startEditor(workspace: Workspace, args: readonly string[], options: EditorOptions = {}): Promise<Editor> {
  const child = spawn(process.execPath, [...cliArguments, "acp", ...args], {
    cwd: options.cwd ?? workspace.cwd,
    env: cleanEnvironment(workspace, options.env),
  });
  const exited = once(child, "exit");
  const editor = new Editor(child, options);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    expect(findViolations(editor.sent, editor.received)).toEqual([]);
  });
  await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities: options.capabilities ?? {} });
  return editor;
}
