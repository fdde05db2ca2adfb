import { join } from "node:path";
import { agentFolder } from "../../../config/paths.ts";
import { updateJsonFile } from "../../../config/update-json-file.ts";
import { findLocalModels } from "../../../models/local-servers.ts";
import { chooseFrom } from "../dialogs/list-panel.ts";
import { errorText } from "../error-text.ts";
import type { Stage } from "../stage.ts";
import { giveKey } from "./login-command.ts";
import { nameOf, useModel } from "./model-commands.ts";

type Step = "key" | "local" | "demo";

const steps = [
  { value: "key" as const, label: "Give an API key", detail: "of Anthropic, OpenAI, Google and others" },
  { value: "local" as const, label: "Use a model on this machine", detail: "served by Ollama, llama.cpp or LM Studio" },
  { value: "demo" as const, label: "Try the demo", detail: "a script with the real tools, no model" },
];

/**
 * Says that there is no model to talk to (no key, no endpoint in models.json, none was named), and offers the ways to get one. Ends when there is a
 * model, or the user has closed the list.
 */
export async function offerFirstSteps(stage: Stage): Promise<void> {
  while (stage.session.models.current === undefined) {
    const step = await chooseFrom<Step>(stage, {
      title: "There is no key for a model yet. How do you want to begin?",
      rows: steps,
    });
    if (step === undefined) {
      stage.note("Without a model nothing can be asked. /login stores a key, /model shows the models of this machine.");
      return;
    }
    await takeStep(stage, step).catch((error: unknown) => stage.note(errorText(error), "error"));
  }
}

async function takeStep(stage: Stage, step: Step): Promise<void> {
  if (step === "key") await giveKey(stage);
  else if (step === "local") await useLocalModel(stage);
  else {
    const demo = await stage.session.models.find("demo", "tour");
    if (demo) await useModel(stage, demo);
    stage.note("Ask the demo anything, for example: Show me around.");
  }
}

/** Lets the user choose a model of a server on this machine, and makes it the default. */
async function useLocalModel(stage: Stage): Promise<void> {
  stage.note("Looking for Ollama, llama.cpp and LM Studio …");
  const models = await findLocalModels();
  if (models.length === 0) {
    stage.note("No model server answers on this machine, or it has no models. Start one and try again.", "warning");
    return;
  }
  const rows = models.map((model) => ({ value: model, label: model.id, detail: model.name }));
  const model = await chooseFrom(stage, { title: "Models on this machine", rows });
  if (!model) return;
  await useModel(stage, model);
  const file = join(agentFolder(), "settings.json");
  await updateJsonFile(file, ({ defaultProvider: _provider, ...content }) => ({ ...content, defaultModel: nameOf(model) }));
  stage.note(`It is the default from now on: defaultModel in ${file}.`);
}
