import type { ProviderResponse, ResponseStep } from "@pikit/test-kit";

/** An answer whose server goes on after a delta, or the end of a block, only when it is told that this one has come through. */
export interface HeldAnswer {
  answer: ProviderResponse;
  /** Lets the server go on when an update of this type is one that it waits for. */
  seen(updateType: string): void;
}

/** Holds an answer of Anthropic's wire where an update is due, so that none is read together with another. */
export function sendOneByOne({ steps = [], ...response }: ProviderResponse): HeldAnswer {
  const gates: (() => void)[] = [];
  const held = steps.flatMap((step): ResponseStep[] => {
    if (!/"(?:text_delta|thinking_delta|input_json_delta|content_block_stop)"/.test(String(step))) return [step];
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.push(resolve);
    return [step, promise];
  });
  let opened = 0;
  return {
    answer: { ...response, steps: held },
    seen(updateType) {
      if (!/_(?:delta|end)$/.test(updateType)) return;
      gates[opened]?.();
      opened += 1;
    },
  };
}
