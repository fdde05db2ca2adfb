import { keyVariablesOf, providers } from "@pikit/ai";

/** The number of providers in the message; the documentation lists the others. */
const namedProviders = 3;

/** Says that there is no model to ask, and how to get one. */
export function noModelMessage(): string {
  const variables = providers.slice(0, namedProviders).map(({ provider }) => keyVariablesOf(provider)[0]);
  return `No model to ask: set ${variables.join(", ")} or another provider's key, choose a model with --model provider/id, or try the offline demo with --model demo/tour.`;
}
