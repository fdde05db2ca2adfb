import type { Agent, AgentTool } from "@pikit/agent";
import { isTooDeep, maxNesting } from "@pikit/ai";
import { SessionError } from "../../errors.ts";

/** The sources of tools that are added to a session. */
export type ToolSource = "host" | "extension" | "mcp";

export interface ToolSetOptions {
  /** Called for each unusable tool, which is left out. */
  report?(problem: string): void;
  /** The only tools to offer, by name; those of the host are offered anyway. Default: all. */
  only?: readonly string[] | undefined;
  /** Tools not to offer, by name. Default: none. */
  exclude?: readonly string[] | undefined;
}

/** A tool with resources that outlive its calls, such as processes. */
type DisposableTool = AgentTool & { dispose(): Promise<void> };

/** The tools of a session, from all sources. */
export class ToolSet {
  readonly #agent: Agent;
  readonly #createTools: (cwd: string) => AgentTool[];
  #own: readonly AgentTool[] = [];
  /** Tools that the model gets only if they are switched on. */
  #offered: readonly AgentTool[] = [];
  #createOffered: (cwd: string) => AgentTool[] = () => [];
  #switchedOn: ReadonlySet<string> = new Set();
  readonly #added = new Map<ToolSource, readonly AgentTool[]>();
  readonly #options: ToolSetOptions;
  readonly #reported = new Set<string>();
  #all: readonly AgentTool[] = [];
  /** The tools that were switched off, by name. */
  #inactive: ReadonlySet<string> = new Set();
  #revision = 0;

  /** @param createTools - Creates the session's own tools for a working folder. */
  constructor(agent: Agent, createTools: (cwd: string) => AgentTool[], options: ToolSetOptions = {}) {
    this.#agent = agent;
    this.#createTools = createTools;
    this.#options = options;
  }

  /** The names of the tools that the model has. */
  get names(): string[] {
    return this.active.map(({ name }) => name);
  }

  /** All tools, active or not. */
  get all(): readonly AgentTool[] {
    return this.#all;
  }

  /** The tools that the model has. */
  get active(): readonly AgentTool[] {
    return this.#agent.state.tools;
  }

  /** Sets the tools that the model has from its next call on. Unknown names are ignored. Tools that are added later are active. */
  activate(names: readonly string[]): void {
    const wanted = new Set(names);
    const offered = new Set(this.#offered.map(({ name }) => name));
    this.#inactive = new Set(this.#all.flatMap(({ name }) => (wanted.has(name) ? [] : [name])));
    this.#switchedOn = new Set(names.filter((name) => offered.has(name)));
    this.#apply();
  }

  /** Adds tools that the model gets only if `activate` names them. A tool with the same name replaces them. */
  offer(create: (cwd: string) => AgentTool[], cwd: string): void {
    this.#createOffered = create;
    this.#offered = create(cwd);
    this.#apply();
  }

  /** A number that grows with each change. */
  get revision(): number {
    return this.#revision;
  }

  /** Creates the session's own tools for a working folder. They replace those of the previous folder. */
  async workIn(cwd: string): Promise<void> {
    await this.dispose();
    this.#own = this.#usable(this.#createTools(cwd));
    this.#offered = this.#createOffered(cwd);
    this.#apply();
  }

  /** Adds a tool to the session's own ones. Does nothing if a tool has its name. */
  add(tool: AgentTool): void {
    if (this.#all.some(({ name }) => name === tool.name)) return;
    this.#own = [...this.#own, tool];
    this.#apply();
  }

  /**
   * Replaces the tools of one source. A tool of an extension replaces the session's own tool with the same name.
   *
   * @throws {SessionError} `invalid_input` if a name is taken, or occurs twice. Nothing has changed then.
   */
  replace(source: ToolSource, tools: readonly AgentTool[]): void {
    const others = [...this.#added].flatMap(([other, brought]) => (other === source ? [] : brought));
    const taken = new Set([...others, ...(source === "extension" ? [] : this.#own)].map(({ name }) => name));
    for (const { name } of tools) {
      if (taken.has(name)) {
        throw new SessionError("invalid_input", `The tool name "${name}" is taken by another tool. Choose another name.`);
      }
      taken.add(name);
    }
    this.#added.set(source, this.#usable(tools));
    this.#apply();
  }

  /** Removes tools whose schemas are too deep. Such a schema makes every request fail, even without a call of its tool. */
  #usable(tools: readonly AgentTool[]): readonly AgentTool[] {
    return tools.filter(({ name, parameters }) => {
      if (!isTooDeep(parameters)) return true;
      this.#tell(`The tool ${name} cannot be used: its schema is nested more than ${maxNesting} levels deep.`);
      return false;
    });
  }

  /** Reports each problem once, however often tools are replaced. */
  #tell(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.report?.(problem);
  }

  /** Releases the resources of the session's own tools. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#own, ...this.#offered].filter(isDisposable).map((tool) => tool.dispose()));
  }

  #apply(): void {
    this.#revision += 1;
    const replaced = new Set(this.#added.get("extension")?.map(({ name }) => name));
    const { only, exclude = [] } = this.#options;
    const isOffered = ({ name }: AgentTool) => (only?.includes(name) ?? true) && !exclude.includes(name);
    const own = this.#own.filter((tool) => !replaced.has(tool.name) && isOffered(tool));
    const added = [...this.#added].flatMap(([source, tools]) =>
      tools.filter(source === "host" ? ({ name }) => !exclude.includes(name) : isOffered),
    );
    const present = [...own, ...added];
    const taken = new Set(present.map(({ name }) => name));
    const offered = this.#offered.filter((tool) => !taken.has(tool.name) && isOffered(tool));
    this.#all = [...present, ...offered];
    this.#agent.state.tools = [
      ...present.filter(({ name }) => !this.#inactive.has(name)),
      ...offered.filter(({ name }) => this.#switchedOn.has(name)),
    ];
  }
}

function isDisposable(tool: AgentTool): tool is DisposableTool {
  return "dispose" in tool && typeof tool.dispose === "function";
}
