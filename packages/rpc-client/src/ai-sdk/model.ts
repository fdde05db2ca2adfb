/** A stream of the AI SDK, as far as it is read. */
interface PartStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** A model of the AI SDK's provider interface: a `LanguageModelV2`, `V3` or `V4` of `@ai-sdk/provider`. */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ stream: PartStream }>;
}

/** Opaque data of a provider that comes with a block and goes back with it. */
export type ProviderData = Record<string, Record<string, unknown>>;

/** Packs a provider's data as the signature of a block. */
export function toSignature(data: ProviderData): string {
  return JSON.stringify(data);
}

/** Reads a signature. Undefined for one without data, or of another origin. */
export function fromSignature(signature: string | undefined): ProviderData | undefined {
  if (signature === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(signature);
    if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
    return Object.keys(data).length > 0 ? (data as ProviderData) : undefined;
  } catch {
    return undefined;
  }
}
