import { join } from "node:path";
import { keyVariablesOf, providers } from "@pikit/ai";
import { agentFolder } from "../../../config/paths.ts";
import { SessionError } from "../../../errors.ts";
import { readCustomProviders } from "../../../models/custom-providers.ts";
import { storeKey } from "../../../models/stored-keys.ts";
import { suggest } from "../../../suggest.ts";
import { chooseFrom } from "../dialogs/list-panel.ts";
import { askForText } from "../dialogs/text-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";
import { useModel } from "./model-commands.ts";

export const loginCommand: TerminalCommand = {
  name: "login",
  description: "store the API key of a provider",
  argument: "[provider]",
  complete: async () => (await providerNames()).map((value) => ({ value, label: value })),
  run: async (stage, args) => {
    await giveKey(stage, args === "" ? undefined : args);
  },
};

/**
 * Asks for a provider and its key, stores the key, and uses the provider's default model if no model is chosen.
 *
 * @returns Whether a key was stored.
 * @throws {SessionError} `invalid_input` for an unknown provider.
 * @throws {UsageError} When the text cannot be a key, or it cannot be stored.
 */
export async function giveKey(stage: Stage, named?: string): Promise<boolean> {
  const names = await providerNames();
  if (named !== undefined && !names.includes(named)) {
    throw new SessionError(
      "invalid_input",
      `There is no provider "${named}".${suggest(named, names)} Providers: ${names.join(", ")}.`,
    );
  }
  const rows = names.map((value) => ({ value, label: value, detail: keyVariablesOf(value).join(", ") }));
  const provider = named ?? (await chooseFrom(stage, { title: "The provider of the key", rows }));
  if (provider === undefined) return false;
  const key = await askForText(stage, {
    ...{ title: `API key of ${provider}`, isSecret: true },
    text: "It is not shown, and stored in a file that only you can read.",
  });
  if (key === undefined) return false;
  const file = await storeKey(agentFolder(), provider, key.trim());
  stage.note(`The key of ${provider} is stored in ${file}.`);
  if (!stage.session.models.current) await useDefaultOf(stage, provider);
  return true;
}

async function useDefaultOf(stage: Stage, provider: string): Promise<void> {
  const { models } = stage.session;
  const defaultId = providers.find((entry) => entry.provider === provider)?.defaultModelId;
  const model =
    (defaultId === undefined ? undefined : await models.find(provider, defaultId)) ??
    (await models.available()).find((each) => each.provider === provider);
  if (model) await useModel(stage, model);
  else stage.note("Choose a model with /model.");
}

async function providerNames(): Promise<string[]> {
  const custom = await readCustomProviders(join(agentFolder(), "models.json"));
  return [...new Set([...providers.map(({ provider }) => provider), ...custom.map(({ name }) => name)])];
}
