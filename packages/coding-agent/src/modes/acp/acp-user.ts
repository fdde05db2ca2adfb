import type { PermissionOption, SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  absentUser,
  answersTo,
  type Clarification,
  type ClarificationAnswer,
  type Confirmation,
  type DialogOptions,
  type UserInterface,
} from "../../user-interface.ts";
import type { JsonRpc, RequestId } from "./json-rpc.ts";
import type { ClientCapabilities } from "./protocol.ts";
import { toText } from "./tool-view.ts";

export interface AcpUserParts {
  rpc: JsonRpc;
  capabilities: ClientCapabilities;
  /** The request that opens the session. Questions before the session is open belong to it. */
  requestId: RequestId;
  send(update: SessionUpdate): void;
  /** Whether the editor has been told about this call. */
  hasCall(toolCallId: string): boolean;
}

/** Maximum delay of a timer in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Asks the person at the editor: about tool calls with `session/request_permission`; other questions with an elicitation, where the editor has
 * such forms, otherwise with a permission request too. An editor that vanishes leaves no question open.
 */
export class AcpUser implements UserInterface {
  readonly #parts: AcpUserParts;
  #sessionId: string | undefined;
  #questions = 0;

  constructor(parts: AcpUserParts) {
    this.#parts = parts;
  }

  /** Tells the id of the session, when it is open. */
  open(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  async approve(question: ApprovalQuestion, options: DialogOptions = {}): Promise<ApprovalAnswer> {
    const chosen = await this.#requestPermission(this.#describe(question), permissionOptions(question), options);
    return { decision: permissions.find(({ optionId }) => optionId === chosen)?.decision ?? "no" };
  }

  async confirm({ title, message }: Confirmation, options: DialogOptions = {}): Promise<boolean> {
    if (this.#hasForms) return (await this.#fill(join(title, message), { type: "boolean", title }, options)) === true;
    return (await this.#choose(join(title, message), ["Yes", "No"], options)) === "Yes";
  }

  async select(question: { title: string; options: readonly string[] }, options: DialogOptions = {}): Promise<string | undefined> {
    const { title, options: choices } = question;
    if (!this.#hasForms) return this.#choose(title, choices, options);
    const value = await this.#fill(title, { type: "string", title, enum: [...choices] }, options);
    return typeof value === "string" && choices.includes(value) ? value : undefined;
  }

  input({ title, placeholder }: { title: string; placeholder?: string }, options: DialogOptions = {}): Promise<string | undefined> {
    return this.#write(title, placeholder === undefined ? {} : { description: placeholder }, options);
  }

  editor({ title, prefill }: { title: string; prefill?: string }, options: DialogOptions = {}): Promise<string | undefined> {
    return this.#write(title, prefill === undefined ? {} : { default: prefill }, options);
  }

  notify(message: string, type: "info" | "warning" | "error" = "info"): void {
    const { capabilities, send } = this.#parts;
    if (capabilities.session?.notices) send({ sessionUpdate: "notice", severity: type, title: message });
  }

  async clarify({ message, suggestions }: Clarification, options: DialogOptions = {}): Promise<ClarificationAnswer> {
    const chosen = await this.select({ title: join(message, ...suggestions), options: ["Continue", "Stop"] }, options);
    return chosen === "Continue" ? { action: "continue" } : { action: "stop" };
  }

  readonly setStatus = absentUser.setStatus;
  readonly setWidget = absentUser.setWidget;
  readonly setTitle = absentUser.setTitle;
  readonly setEditorText = absentUser.setEditorText;

  get #hasForms(): boolean {
    return this.#parts.capabilities.elicitation?.form !== undefined;
  }

  #describe({ toolCallId, title, reasons, call, isDiff }: ApprovalQuestion): ToolCallUpdate {
    const why = reasons === "" ? [] : [toText(reasons)];
    // The editor shows the call already; what it has not shown is the reason.
    if (toolCallId !== undefined && this.#parts.hasCall(toolCallId)) {
      return { toolCallId, title: toTitle(title, call, isDiff), ...(why.length > 0 ? { content: why } : {}) };
    }
    const content = [...why, toText(call)];
    return { toolCallId: toolCallId ?? this.#nextQuestion(), title: toTitle(title, call, isDiff), status: "pending", content };
  }

  async #choose(title: string, choices: readonly string[], options: DialogOptions): Promise<string | undefined> {
    const toolCall: ToolCallUpdate = { toolCallId: this.#nextQuestion(), title, kind: "other", status: "pending" };
    const offered = choices.map((name, index): PermissionOption => {
      return { optionId: String(index), name, kind: name === "No" || name === "Stop" ? "reject_once" : "allow_once" };
    });
    const chosen = await this.#requestPermission(toolCall, offered, options);
    return chosen === undefined ? undefined : choices[Number(chosen)];
  }

  #nextQuestion(): string {
    this.#questions += 1;
    return `question-${this.#questions}`;
  }

  /** Resolves to the chosen option; undefined if there is none. */
  async #requestPermission(
    toolCall: ToolCallUpdate,
    offered: PermissionOption[],
    options: DialogOptions,
  ): Promise<string | undefined> {
    // No editor shows a permission request outside of a session.
    if (this.#sessionId === undefined) return undefined;
    const params = { sessionId: this.#sessionId, toolCall, options: offered };
    const answer = await this.#ask("session/request_permission", params, options);
    const { outcome, optionId } = (answer?.outcome ?? {}) as { outcome?: unknown; optionId?: unknown };
    return outcome === "selected" && offered.some((option) => option.optionId === optionId) ? String(optionId) : undefined;
  }

  async #write(title: string, fields: object, options: DialogOptions): Promise<string | undefined> {
    if (!this.#hasForms) return undefined;
    const value = await this.#fill(title, { type: "string", title, ...fields }, options);
    return typeof value === "string" ? value : undefined;
  }

  /** Asks for one value with a form. */
  async #fill(message: string, property: object, options: DialogOptions): Promise<unknown> {
    const scope = this.#sessionId === undefined ? { requestId: this.#parts.requestId } : { sessionId: this.#sessionId };
    const requestedSchema = { type: "object", properties: { answer: property }, required: ["answer"] };
    const answer = await this.#ask("elicitation/create", { mode: "form", message, requestedSchema, ...scope }, options);
    if (answer?.action !== "accept") return undefined;
    return (answer.content as { answer?: unknown } | null | undefined)?.answer;
  }

  /** Sends a question. Resolves to undefined when there is no answer, or it takes too long. */
  async #ask(method: string, params: object, { signal, timeoutMs }: DialogOptions): Promise<Record<string, unknown> | undefined> {
    const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.min(timeoutMs, maxTimerMs))];
    try {
      const answer = await this.#parts.rpc.request(method, params, AbortSignal.any([...(signal ? [signal] : []), ...limit]));
      return (answer ?? undefined) as Record<string, unknown> | undefined;
    } catch {
      return undefined; // an error of the editor, an abort, or the end of the connection
    }
  }
}

/** The options of a question about a tool call. An editor may show the kind only, so the first one of each kind holds for the session. */
const permissions = [
  { optionId: "allow", kind: "allow_once", decision: "once", name: "Allow" },
  { optionId: "reject", kind: "reject_once", decision: "no", name: "Reject" },
  { optionId: "allow-always", kind: "allow_always", decision: "session", name: "Allow for this session" },
  { optionId: "reject-always", kind: "reject_always", decision: "never", name: "Reject for this session" },
  { optionId: "allow-lasting", kind: "allow_always", decision: "always", name: "Always allow" },
  { optionId: "reject-lasting", kind: "reject_always", decision: "forbid", name: "Always reject" },
] as const;

function permissionOptions(question: ApprovalQuestion): PermissionOption[] {
  const answers = answersTo(question);
  const { sessionScope = "", ruleFile = "" } = question;
  return permissions
    .filter(({ decision }) => answers.includes(decision))
    .map(({ optionId, kind, name, decision }) => {
      const file = decision === "always" || decision === "forbid" ? ` (rule in ${ruleFile})` : "";
      return { optionId, kind, name: kind.endsWith("once") ? name : `${name}: ${sessionScope}${file}` };
    });
}

/** The title of a question: with the command, or the path of a change. */
function toTitle(title: string, call: string, isDiff: boolean): string {
  const [first = ""] = call.split("\n", 1);
  return isDiff || first === "{" ? title : `${title} ${first.slice(0, 200)}`;
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
