import { SessionError } from "../../errors.ts";
import { toWireModel } from "../../models/wire-model.ts";
import type { CommandData, CommandParams } from "../../protocol/commands.ts";
import { type CommandName, commandAliases, commandDispatch } from "../../protocol/dispatch.ts";
import { protocolVersion } from "../../protocol/version.ts";
import type { PromptRun } from "../../run/run-controller.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { packageVersion } from "../../version.ts";
import { toSentEntry, toSentMessage, toSentTree } from "../sent-attachments.ts";
import type { HostTools } from "./host-tools.ts";
import type { RpcOutput, RpcPeer } from "./peer.ts";

/** The context of a handler. */
export interface HandlerContext {
  session: AgentSession;
  /** The client that sent the command. */
  peer: RpcPeer;
  output: RpcOutput;
  /** Called with the run of an accepted prompt. */
  onAccepted(run: PromptRun): void;
  /** Loads the host tools. */
  hostTools(): Promise<HostTools>;
  /** For commands of the lane `started`: lets the next command start. */
  leaveLane(): void;
  /** The command record from the client. */
  request: Record<string, unknown>;
  /** Aborted by `abort` (for `bash`: by `abort_bash`) while the command waits or runs. */
  signal: AbortSignal;
}

type Handler<N extends CommandName> = (
  context: HandlerContext,
  params: CommandParams<N>,
) => CommandData<N> | Promise<CommandData<N>>;

/** The handlers of the commands. A missing or misspelt name is a compile error. A thrown error becomes the error of the response. */
export const handlers: { [N in CommandName]: Handler<N> } = {
  async prompt({ session, signal, onAccepted }, { message, attachments, images, streamingBehavior }) {
    onAccepted(await session.submit(message, { attachments, images, streamingBehavior, signal }));
    return undefined;
  },
  async steer({ session }, { message, attachments, images }) {
    await session.queue("steer", { text: message, attachments, images });
    return undefined;
  },
  async follow_up({ session }, { message, attachments, images }) {
    await session.queue("followUp", { text: message, attachments, images });
    return undefined;
  },
  async abort({ session }) {
    await session.abort();
    return undefined;
  },
  async abort_and_prompt({ session, signal, onAccepted }, { message, attachments, images }) {
    onAccepted(await session.abortAndSubmit(message, { attachments, images, signal }));
    return undefined;
  },
  clear_queue: ({ session }) => session.queues.clear(),
  set_steering_mode({ session }, { mode }) {
    session.queues.setMode("steer", mode);
    return undefined;
  },
  set_follow_up_mode({ session }, { mode }) {
    session.queues.setMode("followUp", mode);
    return undefined;
  },
  set_interrupt_mode({ session }, { mode }) {
    session.queues.setInterruptMode(mode);
    return undefined;
  },
  set_auto_retry({ session }, { enabled }) {
    session.retries.setEnabled(enabled);
    return undefined;
  },
  abort_retry({ session }) {
    session.retries.cancel();
    return undefined;
  },
  async new_session({ session }, { parentSession }) {
    return move(() => session.history.startNew(parentSession === undefined ? {} : { parentSession }));
  },
  async switch_session({ session }, { sessionPath, takeOverLock = false }) {
    return move(() => session.history.open(sessionPath, { takeOverLock }));
  },
  async fork({ session }, { entryId }) {
    return moveFrom(() => session.history.fork(entryId));
  },
  async clone({ session }) {
    return move(() => session.history.clone());
  },
  async branch({ session }, { entryIndex, entryId }) {
    const entry = entryId ?? entryIndex;
    if (entry === undefined || (entryId !== undefined && entryIndex !== undefined)) {
      throw new Error('Give either "entryIndex" or "entryId". See get_branch_messages.');
    }
    return moveFrom(() => session.history.branch(entry));
  },
  get_branch_messages: async ({ session }) => ({ messages: await session.history.branchPoints() }),
  async get_fork_messages({ session }) {
    const points = await session.history.branchPoints();
    return { messages: points.map(({ entryId, text }) => ({ entryId, text })) };
  },
  async get_entries({ session }, options) {
    const entries = await session.history.entries(options);
    return { entries: entries.map(toSentEntry), leafId: session.history.leafId };
  },
  async get_tree({ session }) {
    return { tree: toSentTree(await session.history.tree()), leafId: session.history.leafId };
  },
  async set_session_name({ session }, { name }) {
    await session.history.setName(name);
    return undefined;
  },
  get_state: ({ session, peer }) => ({ ...session.state(), streamMode: peer.mode }),
  get_messages: ({ session }) => ({ messages: session.messages.map(toSentMessage) }),
  get_last_assistant_text({ session }) {
    const text = session.lastAssistantText();
    return text === null ? {} : { text };
  },
  async set_model({ session }, { provider, modelId }) {
    const model = await session.models.find(provider, modelId);
    if (!model) throw new Error(await session.models.describeMissing(provider, modelId));
    await session.models.set(model);
    return toWireModel(model);
  },
  async get_available_models({ session }) {
    return { models: (await session.models.available()).map(toWireModel) };
  },
  async cycle_model({ session }) {
    const model = await session.models.cycle();
    if (!model) return null;
    return { model: toWireModel(model), thinkingLevel: session.models.level, isScoped: session.models.isScoped };
  },
  async set_thinking_level({ session }, { level }) {
    await session.models.setLevel(level);
    return undefined;
  },
  async cycle_thinking_level({ session }) {
    const level = await session.models.cycleLevel();
    return level === undefined ? null : { level };
  },
  get_available_thinking_levels: ({ session }) => ({ levels: session.models.levels }),
  bash({ session, peer, output, request, signal, leaveLane }, { command, excludeFromContext = false }) {
    leaveLane();
    const id = Object.hasOwn(request, "id") ? { id: request.id } : {};
    const onOutput = (delta: string) => output.sendBashUpdate({ type: "bash_execution_update", ...id, delta });
    return session.shell.run(command, { excludeFromContext, signal, ...(peer.mode === "deltas" ? { onOutput } : {}) });
  },
  abort_bash({ session }) {
    session.shell.abort();
    return undefined;
  },
  compact: ({ session, signal, leaveLane }, { customInstructions }) =>
    session.compact({ instructions: customInstructions, signal, onStarted: leaveLane }),
  set_auto_compaction({ session }, { enabled }) {
    session.compaction.setEnabled(enabled);
    return undefined;
  },
  async set_todos({ session }, { phases }) {
    return { todoPhases: await session.todos.set(phases) };
  },
  get_session_stats: ({ session }) => session.stats(),
  get_commands: async ({ session }) => ({ commands: await session.listCommands() }),
  export_html: async ({ session }, { outputPath }) => ({ path: await session.history.exportHtml(outputPath) }),
  async set_host_tools({ session, hostTools }, { tools }) {
    session.tools.replace("host", (await hostTools()).create(tools));
    return { toolNames: tools.map(({ name }) => name) };
  },
  set_stream_mode({ peer }, { mode }) {
    peer.mode = mode;
    return { mode };
  },
  get_protocol_info: async () => ({
    protocolVersion,
    version: packageVersion(),
    commands: [...Object.keys(commandDispatch), ...Object.keys(commandAliases)],
    events: Object.keys((await import("../../protocol/events.ts")).events),
    streamModes: ["snapshots", "deltas"],
  }),
};

/** Runs a move to another session or branch. `cancelled` if an extension has refused it. */
async function move(go: () => Promise<unknown>): Promise<{ cancelled: boolean }> {
  const { cancelled } = await moveFrom(async () => {
    await go();
    return "";
  });
  return { cancelled };
}

/** Does the same, and returns the text of the message at the branch point; empty if an extension has refused. */
async function moveFrom(go: () => Promise<string>): Promise<{ text: string; cancelled: boolean }> {
  try {
    return { text: await go(), cancelled: false };
  } catch (error) {
    if (error instanceof SessionError && error.code === "cancelled") return { text: "", cancelled: true };
    throw error;
  }
}
