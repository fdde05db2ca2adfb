import type { AgentSession } from "../../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../../session/events.ts";
import { readGitBranch } from "./git-branch.ts";
import type { Status } from "./status-line.ts";

/** Events after which the session's numbers or its branch may be others. */
const tellingEvents: ReadonlySet<AgentSessionEvent["type"]> = new Set([
  "message_end",
  "agent_settled",
  "compaction_end",
  "session_info_changed",
  "thinking_level_changed",
]);

/** Keeps the facts of the status line. They are read after the events that change them, not for each frame. */
export class StatusReader {
  readonly #onChange: () => void;
  #facts: Omit<Status, "texts" | "model" | "level">;
  #session: AgentSession | undefined;
  #providerCount: Promise<void> | undefined;
  #countedProviders = 0;
  /** Called when the branch has changed. */
  readonly branchListeners = new Set<() => void>();

  /** @param onChange - Called when the branch has changed, and when the providers are counted. */
  constructor(cwd: string, onChange: () => void) {
    this.#onChange = onChange;
    this.#facts = { cwd, branch: readGitBranch(cwd), sessionName: null, context: undefined, cost: 0 };
  }

  /** Reads everything from a session. */
  follow(session: AgentSession): void {
    this.#session = session;
    this.refresh();
  }

  show(event: AgentSessionEvent): void {
    if (tellingEvents.has(event.type)) this.refresh();
    // A command may have changed the branch.
    if (event.type === "tool_execution_end" || event.type === "agent_settled") this.#readBranch();
  }

  refresh(): void {
    const session = this.#session;
    if (!session) return;
    const hasMoved = session.cwd !== this.#facts.cwd;
    const { cost } = session.stats();
    this.#facts = {
      ...this.#facts,
      ...{ cwd: session.cwd, cost, context: session.compaction.contextUsage, sessionName: session.history.name },
    };
    if (hasMoved) this.#readBranch();
  }

  /** @param texts - The status texts of extensions. */
  read(texts: readonly string[]): Status {
    const model = this.#session?.models.current;
    return { ...this.#facts, model, level: this.#session?.models.level ?? "off", texts };
  }

  /** The git branch; undefined outside a repository. */
  get branch(): string | undefined {
    return this.#facts.branch;
  }

  /** The number of providers with usable models. It is found out when it is first asked for, and is 0 until then. */
  get providerCount(): number {
    this.#providerCount ??= this.#countProviders();
    return this.#countedProviders;
  }

  async #countProviders(): Promise<void> {
    const models = (await this.#session?.models.available()) ?? [];
    this.#countedProviders = new Set(models.map(({ provider }) => provider)).size;
    this.#onChange();
  }

  /** Whether a session is followed. */
  get isReady(): boolean {
    return this.#session !== undefined;
  }

  #readBranch(): void {
    const { cwd } = this.#facts;
    const branch = readGitBranch(cwd);
    if (branch === this.#facts.branch) return;
    this.#facts = { ...this.#facts, branch };
    this.#onChange();
    for (const listener of this.branchListeners) listener();
  }
}
