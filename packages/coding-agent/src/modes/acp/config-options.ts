import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { ApprovalPolicy } from "../../config/approval-policies.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { errorCodes, RpcError } from "./json-rpc.ts";

interface Mode {
  id: string;
  name: string;
  description: string;
}

/** The modes of a session: which tool calls may run. */
const modes: readonly Mode[] = [
  { id: "ask", name: "Ask", description: "Asks before every tool call that does more than read." },
  { id: "code", name: "Code", description: "Asks before tool calls that are risky, as the settings say." },
  { id: "read-only", name: "Read only", description: "Refuses every tool call that does more than read." },
];

/** The choices of a person in a session: mode, model and thinking level. */
export class SessionChoices {
  readonly #session: AgentSession;
  /** The policy of the mode `code`. */
  readonly #codePolicy: ApprovalPolicy;

  constructor(session: AgentSession) {
    this.#session = session;
    this.#codePolicy = session.approvals.policy === "always" ? "on-risk" : session.approvals.policy;
  }

  get modes(): SessionModeState {
    return { currentModeId: this.#mode, availableModes: modes.map((mode) => ({ ...mode })) };
  }

  /** @throws {RpcError} `invalidParams` for an unknown mode. */
  setMode(id: string): void {
    const mode = modes.find((each) => each.id === id);
    if (!mode)
      throw unknownValue(
        "modeId",
        id,
        modes.map((each) => each.id),
      );
    const { approvals } = this.#session;
    approvals.readOnly = id === "read-only";
    approvals.policy = id === "ask" ? "always" : this.#codePolicy;
  }

  /** Mode, model and thinking level, with their possible values. */
  async options(): Promise<SessionConfigOption[]> {
    const { models } = this.#session;
    const available = await models.available();
    const { current } = models;
    const name = current && nameOf(current);
    // A model that is not in the list, such as the demo, can be the current one.
    const listed = available.map((model) => ({ value: nameOf(model), name: model.name || model.id, description: model.provider }));
    const isListed = name === undefined || listed.some(({ value }) => value === name);
    const choices = isListed
      ? listed
      : [{ value: name, name: current?.name ?? name, description: current?.provider ?? "" }, ...listed];
    return [
      {
        ...{ type: "select", id: "mode", name: "Mode", category: "mode", currentValue: this.#mode },
        options: modes.map(({ id, ...rest }) => ({ value: id, ...rest })),
      },
      ...(name === undefined
        ? []
        : [{ type: "select" as const, id: "model", name: "Model", category: "model", currentValue: name, options: choices }]),
      {
        ...{ type: "select", id: "thinking", name: "Thinking", category: "thought_level", currentValue: models.level },
        options: models.levels.map((level) => ({ value: level, name: level })),
      },
    ];
  }

  /**
   * Sets one of the options.
   *
   * @throws {RpcError} `invalidParams` for an unknown option or value.
   */
  async set(id: string, value: string | boolean): Promise<void> {
    const text = String(value);
    if (id === "mode") this.setMode(text);
    else if (id === "model") await this.setModel(text);
    else if (id === "thinking") await this.#setLevel(text);
    else throw unknownValue("configId", id, ["mode", "model", "thinking"]);
  }

  /**
   * @param name - `provider/id`.
   * @throws {RpcError} `invalidParams` for an unknown model.
   */
  async setModel(name: string): Promise<void> {
    const { models } = this.#session;
    const slash = name.indexOf("/");
    const model = slash > 0 ? await models.find(name.slice(0, slash), name.slice(slash + 1)) : undefined;
    if (!model) {
      const reason = slash > 0 ? await models.describeMissing(name.slice(0, slash), name.slice(slash + 1)) : "";
      throw new RpcError(
        errorCodes.invalidParams,
        reason === "" ? `"${name.slice(0, 100)}" is not a model: give provider/id.` : reason,
      );
    }
    await models.set(model);
  }

  async #setLevel(level: string): Promise<void> {
    const { models } = this.#session;
    const known = models.levels.find((each) => each === level);
    if (!known) throw unknownValue("value", level, models.levels);
    await models.setLevel(known);
  }

  get #mode(): string {
    const { policy, readOnly } = this.#session.approvals;
    if (readOnly) return "read-only";
    return policy === "always" ? "ask" : "code";
  }
}

function nameOf({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

function unknownValue(field: string, value: string, known: readonly string[]): RpcError {
  return new RpcError(
    errorCodes.invalidParams,
    `Field "${field}" must be one of ${known.join(", ")}, but is "${value.slice(0, 100)}".`,
  );
}
