import type { AgentSession } from "../../agent-session.ts";
import { toWireModel } from "../../models/wire-model.ts";
import type { CommandData, CommandName, CommandParams } from "../../protocol/commands.ts";
import type { StreamMode } from "../../protocol/data.ts";

/** What a handler works with. */
export interface HandlerContext {
  session: AgentSession;
  streamMode: StreamMode;
  /** Aborted by an `abort`, or for `bash` an `abort_bash`, that arrives while the command waits or works. */
  signal: AbortSignal;
}

type Handler<N extends CommandName> = (
  context: HandlerContext,
  params: CommandParams<N>,
) => CommandData<N> | Promise<CommandData<N>>;

/** What each command does. A missing or misspelt one does not compile. What a handler throws becomes the response's error. */
export const handlers: { [N in CommandName]: Handler<N> } = {
  async prompt({ session, signal }, { message, attachments, images, streamingBehavior }) {
    await session.submit(message, { attachments, images, streamingBehavior, signal });
    return undefined;
  },
  steer({ session }, { message, attachments, images }) {
    session.queue("steer", { text: message, attachments, images });
    return undefined;
  },
  follow_up({ session }, { message, attachments, images }) {
    session.queue("followUp", { text: message, attachments, images });
    return undefined;
  },
  async abort({ session }) {
    await session.abort();
    return undefined;
  },
  async abort_and_prompt({ session, signal }, { message, attachments, images }) {
    await session.abortAndSubmit(message, { attachments, images, signal });
    return undefined;
  },
  clear_queue: ({ session }) => session.clearQueue(),
  set_steering_mode({ session }, { mode }) {
    session.setSteeringMode(mode);
    return undefined;
  },
  set_follow_up_mode({ session }, { mode }) {
    session.setFollowUpMode(mode);
    return undefined;
  },
  set_interrupt_mode({ session }, { mode }) {
    session.setInterruptMode(mode);
    return undefined;
  },
  set_auto_retry({ session }, { enabled }) {
    session.setAutoRetry(enabled);
    return undefined;
  },
  abort_retry({ session }) {
    session.abortRetry();
    return undefined;
  },
  async new_session({ session }, { parentSession }) {
    await session.newSession(parentSession === undefined ? {} : { parentSession });
    return { cancelled: false };
  },
  get_state: ({ session, streamMode }) => ({ ...session.state(), streamMode }),
  get_messages: ({ session }) => ({ messages: [...session.messages] }),
  get_last_assistant_text: ({ session }) => ({ text: session.lastAssistantText() }),
  async set_model({ session }, { provider, modelId }) {
    const model = await session.findModel(provider, modelId);
    if (!model) throw new Error(`Model not found: ${provider}/${modelId}. See get_available_models.`);
    await session.setModel(model);
    return toWireModel(model);
  },
  async get_available_models({ session }) {
    return { models: (await session.availableModels()).map(toWireModel) };
  },
  bash: ({ session, signal }, { command, excludeFromContext }) =>
    session.bash(command, { excludeFromContext: excludeFromContext ?? false, signal }),
  abort_bash({ session }) {
    session.abortBash();
    return undefined;
  },
};
