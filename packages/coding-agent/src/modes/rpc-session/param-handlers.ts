import { SessionError } from "../../errors.ts";
import { toWireModel } from "../../models/wire-model.ts";
import type { FileRestore } from "../../protocol/data.ts";
import type { RestoreFilesOptions } from "../../session/parts/history.ts";
import type { TraceContext } from "../../trace-context.ts";
import { toSentEntry } from "../sent-attachments.ts";
import type { Handler, ParamCommandName } from "./handler.ts";

/** The handlers of the commands with parameters, loaded with the first of them. A missing or misspelt name is a compile error. */
export const paramHandlers: { [N in ParamCommandName]: Handler<N> } = {
  async prompt({ session, signal, onAccepted }, { message, attachments, images, streamingBehavior, ...trace }) {
    onAccepted(await session.submit(message, { attachments, images, streamingBehavior, signal, trace: traceOf(trace) }));
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
  async abort_and_prompt({ session, signal, onAccepted }, { message, attachments, images, ...trace }) {
    onAccepted(await session.abortAndSubmit(message, { attachments, images, signal, trace: traceOf(trace) }));
    return undefined;
  },
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
  async new_session({ session }, { parentSession }) {
    return move(() => session.history.startNew(parentSession === undefined ? {} : { parentSession }));
  },
  async switch_session({ session }, { sessionPath, takeOverLock = false }) {
    return move(() => session.history.open(sessionPath, { takeOverLock }));
  },
  async fork({ session }, { entryId, ...options }) {
    return moveWithFiles(options, (given) => session.history.fork(entryId, given));
  },
  async branch({ session }, { entryIndex, entryId, ...options }) {
    const entry = entryId ?? entryIndex;
    if (entry === undefined || (entryId !== undefined && entryIndex !== undefined)) {
      throw new Error('Give either "entryIndex" or "entryId". See get_branch_messages.');
    }
    return moveWithFiles(options, (given) => session.history.branch(entry, given));
  },
  undo: ({ session }, options) => session.undo(options),
  redo: ({ session }, options) => session.redo(options),
  async get_entries({ session }, options) {
    const entries = await session.history.entries(options);
    return { entries: entries.map(toSentEntry), leafId: session.history.leafId };
  },
  async set_session_name({ session }, { name }) {
    await session.history.setName(name);
    return undefined;
  },
  async set_model({ session }, { provider, modelId }) {
    const model = await session.models.find(provider, modelId);
    if (!model) throw new Error(await session.models.describeMissing(provider, modelId));
    await session.models.set(model);
    return toWireModel(model);
  },
  async set_thinking_level({ session }, { level }) {
    await session.models.setLevel(level);
    return undefined;
  },
  bash({ session, peer, output, request, signal, leaveLane }, { command, excludeFromContext = false }) {
    leaveLane();
    const id = Object.hasOwn(request, "id") ? { id: request.id } : {};
    const onOutput = (delta: string) => output.sendBashUpdate({ type: "bash_execution_update", ...id, delta });
    return session.shell.run(command, { excludeFromContext, signal, ...(peer.mode === "deltas" ? { onOutput } : {}) });
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
  export_html: async ({ session }, { outputPath }) => ({ path: await session.history.exportHtml(outputPath) }),
  async set_host_tools({ session, hostTools }, { tools }) {
    session.tools.replace("host", (await hostTools()).create(tools));
    return { toolNames: tools.map(({ name }) => name) };
  },
  async set_host_models({ session, hostModels }, { models: definitions }) {
    const models = (await hostModels()).create(definitions);
    await session.models.setHostModels(models);
    return { models: models.map(toWireModel) };
  },
  set_stream_mode({ peer }, { mode }) {
    peer.mode = mode;
    return { mode };
  },
};

/** Runs a move to another session or branch. `cancelled` if an extension has refused it. */
export async function move(go: () => Promise<unknown>): Promise<{ cancelled: boolean }> {
  const { cancelled } = await moveFrom(async () => {
    await go();
    return "";
  });
  return { cancelled };
}

/** Runs a move to before a message, which may put files back. */
async function moveWithFiles(
  options: Pick<RestoreFilesOptions, "restoreFiles" | "force">,
  go: (given: RestoreFilesOptions) => Promise<string>,
): Promise<{ text: string; cancelled: boolean; files?: FileRestore }> {
  let files: FileRestore | undefined;
  const onFilesRestored = (result: FileRestore) => {
    files = result;
  };
  const moved = await moveFrom(() => go({ ...options, onFilesRestored }));
  return { ...moved, ...(files ? { files } : {}) };
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

/** Here and not in a module of its own: a start with `models.json` would read one file more. */
function traceOf({ traceparent, tracestate }: Partial<TraceContext>): TraceContext | undefined {
  return traceparent === undefined ? undefined : { traceparent, tracestate };
}
