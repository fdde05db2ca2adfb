import { toWireModel } from "../../models/wire-model.ts";
import { type CommandName, commandAliases, commandDispatch } from "../../protocol/dispatch.ts";
import { protocolVersion } from "../../protocol/version.ts";
import { packageVersion } from "../../version.ts";
import { toSentMessage, toSentTree } from "../sent-attachments.ts";
import type { Handler, ParamCommandName } from "./handler.ts";

/** The handlers of the commands without parameters. A missing or misspelt name is a compile error. */
export const handlers: { [N in Exclude<CommandName, ParamCommandName>]: Handler<N> } = {
  async abort({ session }) {
    await session.abort();
    return undefined;
  },
  clear_queue: ({ session }) => session.queues.clear(),
  abort_retry({ session }) {
    session.retries.cancel();
    return undefined;
  },
  async clone({ session }) {
    return (await import("./param-handlers.ts")).move(() => session.history.clone());
  },
  get_branch_messages: async ({ session }) => ({ messages: await session.history.branchPoints() }),
  async get_fork_messages({ session }) {
    const points = await session.history.branchPoints();
    return { messages: points.map(({ entryId, text }) => ({ entryId, text })) };
  },
  async get_tree({ session }) {
    return { tree: toSentTree(await session.history.tree()), leafId: session.history.leafId };
  },
  get_state: ({ session, peer }) => ({ ...session.state(), streamMode: peer.mode }),
  get_messages: ({ session }) => ({ messages: session.messages.map(toSentMessage) }),
  get_last_assistant_text({ session }) {
    const text = session.lastAssistantText();
    return text === null ? {} : { text };
  },
  async get_available_models({ session }) {
    return { models: (await session.models.available()).map(toWireModel) };
  },
  async cycle_model({ session }) {
    const model = await session.models.cycle();
    if (!model) return null;
    return { model: toWireModel(model), thinkingLevel: session.models.level, isScoped: session.models.isScoped };
  },
  async cycle_thinking_level({ session }) {
    const level = await session.models.cycleLevel();
    return level === undefined ? null : { level };
  },
  get_available_thinking_levels: ({ session }) => ({ levels: session.models.levels }),
  abort_bash({ session }) {
    session.shell.abort();
    return undefined;
  },
  get_session_stats: ({ session }) => session.stats(),
  get_commands: async ({ session }) => ({ commands: await session.listCommands() }),
  get_protocol_info: async () => ({
    protocolVersion,
    version: packageVersion(),
    commands: [...Object.keys(commandDispatch), ...Object.keys(commandAliases)],
    events: Object.keys((await import("../../protocol/events.ts")).events),
    streamModes: ["snapshots", "deltas"],
  }),
};
