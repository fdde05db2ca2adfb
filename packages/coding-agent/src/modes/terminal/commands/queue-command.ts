import type { StreamingBehavior } from "../../../protocol/data.ts";
import { chooseFrom } from "../dialogs/list-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";

export const queueCommand: TerminalCommand = {
  name: "queue",
  description: "edit a message that waits to be sent",
  run: editQueued,
};

interface Queued {
  behavior: StreamingBehavior;
  index: number;
  text: string;
}

/** Lets the user choose a queued message: it leaves the queue, and is in the editor with its images. */
async function editQueued(stage: Stage): Promise<void> {
  const { queues } = stage.session;
  const { steering, followUp } = queues.texts;
  const toQueued =
    (behavior: StreamingBehavior) =>
    (text: string, index: number): Queued => ({ behavior, index, text });
  const queued = [...steering.map(toQueued("steer")), ...followUp.map(toQueued("followUp"))];
  if (queued.length === 0) {
    stage.note("No message waits.");
    return;
  }
  const rows = queued.map((value) => ({
    ...{ value, label: value.text || "(no text)" },
    detail: value.behavior === "steer" ? "steers the run" : "follows the run",
  }));
  const chosen = await chooseFrom(stage, { title: "Queue: Enter takes a message back", rows });
  if (!chosen) return;
  const taken = await queues.take(chosen.behavior, chosen.index, chosen.text);
  if (taken) stage.addToPrompt([taken]);
  else stage.note("The model has got this message already.", "warning");
}
