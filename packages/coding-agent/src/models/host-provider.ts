import { type Model, toHostModel } from "@pikit/ai";
import type { CustomProvider } from "./custom-providers.ts";
import { hostProvider } from "./provider-names.ts";

/** The provider of the models that a program has registered. */
export function toHostProvider(models: readonly Model[]): CustomProvider {
  return {
    name: hostProvider,
    ...{ apiKey: undefined, authHeader: false, endpoint: undefined, change: {}, modelChanges: new Map() },
    models: [...models],
  };
}

/** Creates the model that stands for one which is not registered yet. A call of it fails. */
export function createAwaitedModel(id: string): Model {
  return toHostModel({ id, provider: hostProvider }, (_call, receive) =>
    receive({ type: "host_model_error", message: notRegistered(id), retryable: false }),
  );
}

/** Says that a host model is not registered, and what to do. */
export function notRegistered(id: string): string {
  return `${hostProvider}/${id} is not registered: send set_host_models with this model, or choose another one.`;
}
