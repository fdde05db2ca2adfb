/** The type of a signal if the compiler has no `AbortSignal`. */
interface SignalShape {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * The platform's `AbortSignal`. The published declarations must compile in programs that have neither the types of Node nor those of
 * browsers, where a reference to the global name would be an error.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : SignalShape;
