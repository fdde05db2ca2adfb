import { Agent } from "@pikit/agent";
import type { Settings } from "../../config/settings.ts";
import type { BranchContext } from "../../conversation/context.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { levelFor, ModelChoice } from "../../models/model-choice.ts";
import { SessionEvents } from "../events.ts";
import { SessionLife } from "../life.ts";
import { SessionInstruments } from "../parts/instruments.ts";
import { QueueUpdates } from "../parts/queue-updates.ts";
import { SessionQueues } from "../parts/queues.ts";
import { Transcript } from "../parts/transcript.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Models } from "./models.ts";

/** The parts that all other parts of a session use. */
export type Core = Pick<
  SessionParts,
  "life" | "instruments" | "events" | "agent" | "transcript" | "queues" | "queueUpdates" | "registry" | "models"
>;

/**
 * Creates the agent, and the parts that keep it and the stored conversation the same.
 *
 * @param conversation - Only the transcript may keep a reference to it and to `context`, so that both are freed when the session switches.
 */
export function createCore(
  { settings, hooks }: Configuration,
  { registry, model, thinkingLevel, scope }: Models,
  conversation: Conversation,
  context: BranchContext,
): Core {
  const instruments = new SessionInstruments();
  const events = new SessionEvents(hooks, instruments);
  const agent = new Agent({ ...modesOf(settings), ...(model && { model }), thinkingLevel: levelFor(thinkingLevel, model) });
  const transcript = new Transcript(agent, conversation, context, (error) => {
    void events.emit({ type: "error", error });
    return events.hasSubscribers;
  });
  const queues = new SessionQueues(agent, transcript);
  const queueUpdates = new QueueUpdates(queues, (texts) => void events.emit({ type: "queue_update", ...texts }));
  agent.subscribeToQueues(() => queueUpdates.noteChange());
  const models = new ModelChoice({
    ...{ agent, models: registry, thinkingLevel },
    ...(scope && { scope }),
    onChanged: () => transcript.recordChoices(),
    onLevelChanged(level, previousLevel) {
      void events.emit({ type: "thinking_level_changed", level });
      void hooks.current?.notify?.({ type: "thinking_level_select", level, previousLevel });
    },
    onSelected: (selected, previousModel, source) =>
      void hooks.current?.notify?.({ type: "model_select", model: selected, previousModel, source }),
  });
  return { life: new SessionLife(), instruments, events, agent, transcript, queues, queueUpdates, registry, models };
}

function modesOf({ steeringMode, followUpMode, interruptMode }: Settings) {
  return {
    ...(steeringMode ? { steeringMode } : {}),
    ...(followUpMode ? { followUpMode } : {}),
    ...(interruptMode ? { interruptMode } : {}),
  };
}
