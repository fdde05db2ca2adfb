import type { BranchContext } from "../../conversation/context.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import { SessionError } from "../../errors.ts";
import { SessionHistory } from "../parts/history.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import type { Runner } from "./runner.ts";
import type { Supervision } from "./supervision.ts";
import type { Tools } from "./tools.ts";

/** Everything that is created before the history. */
interface HistoryInputs {
  store: SessionStore;
  configuration: Configuration;
  core: Core;
  supervision: Supervision;
  tools: Tools;
  runner: Runner;
}

/** Creates the session's history, and loads the state of the first conversation into the other parts. */
export async function createHistory({
  store,
  configuration,
  core,
  supervision,
  tools,
  runner,
}: HistoryInputs): Promise<SessionHistory> {
  const { hooks } = configuration;
  const { agent, events, models, transcript } = core;
  const { compactor, rules } = supervision;
  const { runs, shell } = runner;
  const takeOver = createTakeOver(core, rules, tools);
  const history = new SessionHistory({
    ...{ store, transcript },
    between(work) {
      shell.abort();
      return runs.between(async () => {
        await compactor.abort();
        return work();
      });
    },
    async beforeMove(move) {
      const answer = await hooks.current?.mayMove?.(move);
      if (answer !== false) return typeof answer === "object" ? answer : undefined;
      throw new SessionError("cancelled", "An extension did not allow the session to switch.");
    },
    onLeave: async () => hooks.current?.leave?.(),
    onStayed: async () => hooks.current?.stayed?.(),
    afterMove: async (move) => hooks.current?.moved?.(move),
    restoreBefore: (entryId, options) => tools.checkpoints.restoreBefore(entryId, options),
    onRenamed: (name) => events.emit({ type: "session_info_changed", name }),
    async onMoved(context) {
      await models.follow(context);
      await takeOver(context);
    },
  });
  await takeOver(agent.state);
  return history;
}

/** Returns a function that loads the state of the current conversation and branch into all parts. */
function createTakeOver({ queues, queueUpdates, transcript }: Core, rules: Supervision["rules"], { todos, tools }: Tools) {
  return async ({ messages }: Pick<BranchContext, "messages">) => {
    queues.restore();
    queueUpdates.flush();
    rules?.restore(messages);
    await tools.workIn(transcript.conversation.header.cwd);
    await todos.restore(transcript);
  };
}
