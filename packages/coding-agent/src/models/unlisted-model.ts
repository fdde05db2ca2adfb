import { loadFormerModels, loadProviderModels, type Model, providers } from "@pikit/ai";
import { distance } from "fastest-levenshtein";
import { type Endpoint, toUnknownModel } from "./endpoint.ts";
import { nearestNames } from "./nearest-names.ts";

/** A model that no list has, and the notice about it. */
export interface UnlistedModel {
  model: Model;
  /** A line of text with the assumptions; undefined if the id is another name of a known model. */
  notice?: string;
}

/** Maximum number of listed ids in a notice. */
const maxSuggestions = 3;

/** The parts of an id in which releases of one model differ: a date, a release number, `latest`. */
const releases = [
  /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/,
  /-(?:preview|exp)(?:-\d{2}-\d{2,4})?$/,
  /(?<=^gemini-.*)-\d{3}$/,
  /(?<=^(?:gpt|grok)-.*)-\d{4}$/,
];

/** The built-in provider whose own models have such ids; undefined if there is none. */
export function vendorOf(id: string): string | undefined {
  return providers.find(({ ownIds }) => ownIds?.test(plainId(id)))?.provider;
}

/**
 * Creates a model for an id that its provider's list lacks. A release of a known or former model gets the data of that model. Any other id
 * gets the limits and abilities of the nearest model of its family; without a family they are unknown.
 *
 * @param endpoint - The provider's endpoint.
 * @param listed - The provider's listed models.
 */
export async function toUnlistedModel(id: string, endpoint: Endpoint, listed: readonly Model[]): Promise<UnlistedModel> {
  const vendor = vendorOf(id);
  const known = vendor === undefined ? [] : [...(await loadProviderModels(vendor)), ...(await loadFormerModels(vendor))];
  const relatives = [...listed, ...known];
  const same = relatives.find((model) => releaseless(model.id) === releaseless(id));
  const relative = same ?? nearestOfFamily(id, relatives);
  const unknown = toUnknownModel(endpoint, id);
  const { reasoning, input, contextWindow, maxTokens } = relative ?? unknown;
  // Prices and compat settings of another provider do not apply to this one.
  const own = relative?.provider === endpoint.provider ? relative : unknown;
  const model: Model = {
    ...unknown,
    ...{ name: same?.name ?? id, reasoning, input: [...input], contextWindow, maxTokens },
    ...(same ? { cost: { ...own.cost } } : {}),
    ...(own.compat ? { compat: { ...own.compat } } : {}),
  };
  return isPriced(model) ? { model } : { model, notice: describe(model, relative, listed) };
}

function describe({ provider, id, cost }: Model, relative: Model | undefined, listed: readonly Model[]): string {
  const limits = relative ? `those of ${relative.provider}/${relative.id}` : "unknown";
  const price = isPriced({ cost }) ? "" : " Its price is unknown: costs count as 0, also for --max-cost.";
  const near = nearestNames(
    listed.map((model) => `${model.provider}/${model.id}`),
    `${provider}/${id}`,
    maxSuggestions,
  );
  const names = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : "";
  return `${provider}/${id} is not in the catalog, but is used as named; its limits are ${limits}.${price}${names}`;
}

function isPriced({ cost }: Pick<Model, "cost">): boolean {
  return cost.input > 0 || cost.output > 0;
}

/** The model with the longest common beginning of the name; of several, the one with the smallest edit distance. */
function nearestOfFamily(id: string, models: readonly Model[]): Model | undefined {
  const wanted = wordsOf(id);
  const sharedWith = (model: Model) => {
    const words = wordsOf(model.id);
    const differsAt = wanted.findIndex((word, index) => word !== words[index]);
    return differsAt < 0 ? wanted.length : differsAt;
  };
  let best: { model: Model; shared: number; edits: number } | undefined;
  for (const model of models) {
    const shared = sharedWith(model);
    const edits = distance(releaseless(id), releaseless(model.id));
    if (shared === 0 || (best && (shared < best.shared || (shared === best.shared && edits >= best.edits)))) continue;
    best = { model, shared, edits };
  }
  return best?.model;
}

/** Splits an id into words: `gpt-4o-mini` becomes gpt, 4, o, mini. */
function wordsOf(id: string): string[] {
  return releaseless(id).match(/[a-z]+|\d+/g) ?? [];
}

function releaseless(id: string): string {
  let name = plainId(id);
  for (const release of releases) name = name.replace(release, "");
  return name;
}

/** Removes the vendor that routers put in front of an id. */
function plainId(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).toLowerCase();
}
