import { type Model, type RequestedThinkingLevel, type ThinkingLevel, thinkingLevels } from "@pikit/ai";
import type { AgentSession } from "../../../session/agent-session.ts";
import { chooseFrom, ListPanel, type ListRow } from "../dialogs/list-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";

export const modelCommands: readonly TerminalCommand[] = [
  {
    name: "model",
    description: "choose the model",
    argument: "[name]",
    complete: async ({ models }) =>
      (await models.available()).map((model) => ({ value: nameOf(model), label: nameOf(model), description: model.name })),
    run: (stage, args) => (args === "" ? pickModel(stage) : setNamedModel(stage, args)),
  },
  {
    name: "thinking",
    description: "choose how hard the model thinks",
    argument: "[level]",
    complete: ({ models }) => [...models.levels, "max"].map((level) => ({ value: level, label: level })),
    run: (stage, args) => (args === "" ? pickLevel(stage) : setLevel(stage, args)),
  },
];

/** The name by which a model is chosen. */
export function nameOf({ provider, id }: Pick<Model, "provider" | "id">): string {
  return `${provider}/${id}`;
}

async function setNamedModel(stage: Stage, name: string): Promise<void> {
  const { models } = stage.session;
  const { model, thinkingLevel } = await models.named(name);
  if (!model) return;
  await useModel(stage, model);
  if (thinkingLevel) await setLevel(stage, thinkingLevel);
}

/** Sets the model and says so, with a warning if it has no key. */
export async function useModel(stage: Pick<Stage, "session" | "note">, model: Model): Promise<void> {
  const { models } = stage.session;
  await models.set(model);
  stage.note(`The model is ${nameOf(model)}${models.level === "off" ? "" : `, thinking ${models.level}`}.`);
  const isUsable = (await models.available()).some(({ provider }) => provider === model.provider);
  if (!isUsable && model.api !== "scripted" && model.provider !== "local") {
    stage.note(`There is no key for ${model.provider}. Give it with /login ${model.provider}.`, "warning");
  }
}

async function pickModel(stage: Stage): Promise<void> {
  const { models } = stage.session;
  const { current } = models;
  const available = await models.available();
  const isListed = available.some((model) => current && nameOf(model) === nameOf(current));
  // A script, or a model that its provider's list lacks.
  const listed = current && !isListed ? [current, ...available] : available;
  const chosen = await chooseModel(stage, listed, current);
  if (chosen) await useModel(stage, chosen);
}

/** Shows the models at once, and adds those of servers on this machine when they have answered. */
function chooseModel(stage: Stage, listed: readonly Model[], current: Model | undefined): Promise<Model | undefined> {
  const search = new AbortController();
  return new Promise((resolve) => {
    const panel = new ListPanel<string>({
      ...{ theme: stage.theme, title: "Model", rows: listed.map(toRow) },
      ...(current ? { current: nameOf(current) } : {}),
      emptyText: "There is no key yet: /login gives one.",
      onChoose(name) {
        close();
        search.abort();
        resolve(all.find((model) => nameOf(model) === name));
      },
    });
    let all: readonly Model[] = listed;
    const close = stage.open(panel);
    void findLocal(search.signal).then((local) => {
      const names = new Set(listed.map(nameOf));
      all = [...listed, ...local.filter((model) => !names.has(nameOf(model)))];
      panel.setRows(all.map(toRow));
      stage.refresh();
    });
  });
}

async function findLocal(signal: AbortSignal): Promise<Model[]> {
  const { findLocalModels } = await import("../../../models/local-servers.ts");
  return findLocalModels({ signal }).catch(() => []); // the list was closed
}

function toRow(model: Model): ListRow<string> {
  const { name, id, contextWindow, cost } = model;
  const window = contextWindow > 0 ? [`${Math.round(contextWindow / 1000)}k`] : [];
  const price = cost.input > 0 || cost.output > 0 ? [`$${cost.input}/$${cost.output} per million`] : [];
  return { value: nameOf(model), label: nameOf(model), detail: [...(name === id ? [] : [name]), ...window, ...price].join(", ") };
}

async function pickLevel(stage: Stage): Promise<void> {
  const { models } = stage.session;
  const { current, level, levels } = models;
  if (levels.length < 2) {
    stage.note(`${current ? nameOf(current) : "Without a model, there"} has no thinking levels.`);
    return;
  }
  const rows = levels.map((value) => ({ value, label: value }));
  const chosen = await chooseFrom<ThinkingLevel>(stage, { title: "Thinking", rows, current: level });
  if (chosen) await setLevel(stage, chosen);
}

async function setLevel(stage: Stage, level: string): Promise<void> {
  const { models } = stage.session;
  await models.setLevel(level as RequestedThinkingLevel);
  const note = models.level === level || level === "max" ? "" : `: ${describeNearest(models, level)}`;
  stage.note(`Thinking is ${models.level}${note}.`);
}

function describeNearest({ current }: AgentSession["models"], level: string): string {
  const isKnown = (thinkingLevels as readonly string[]).includes(level);
  return current && isKnown ? `${nameOf(current)} has no level ${level}` : "no model is chosen";
}
