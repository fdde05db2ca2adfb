import type { BranchContext } from "../../conversation/context.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import { SessionError } from "../../errors.ts";
import { SessionHistory } from "../parts/history.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import type { Runs } from "./run.ts";
import type { Supervision } from "./supervision.ts";
import type { Tools } from "./tools.ts";

/** Creates the session's history, and loads the state of the first conversation into the other parts. */
export async function createHistory(
  store: SessionStore,
  { hooks }: Configuration,
  core: Core,
  { compactor, rules }: Supervision,
  tools: Tools,
  { runs, shell }: Runs,
): Promise<SessionHistory> {
  const { agent, events, models, transcript } = core;
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
      if ((await hooks.current?.mayMove?.(move)) !== false) return;
      throw new SessionError("cancelled", "An extension did not let the session go elsewhere.");
    },
    afterMove: async ({ reason }) => hooks.current?.moved?.(reason),
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
