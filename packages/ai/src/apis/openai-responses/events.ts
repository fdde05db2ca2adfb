import type { MessageAssembler } from "../../assembler.ts";
import { errorForStatus, errorInStream } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import { describeErrorBody } from "../../provider-text.ts";
import type { Model, Tool } from "../../types.ts";
import { priceUsage } from "../../usage.ts";
import { createNameReader } from "../tool-names.ts";
import { endMarker, readWireEvent, unknownStopReason } from "../wire-event.ts";
import { type ItemEvent, type OutputItem, openItem, type WireItem } from "./items.ts";

/** The fields that we read. Servers may omit any of them or send null. */
interface WireEvent extends ItemEvent {
  output_index?: number;
  item_id?: string;
  item?: WireItem | null;
  response?: WireResponse | null;
  code?: string | null;
  message?: string | null;
  error?: unknown;
}

interface WireResponse {
  status?: string | null;
  output?: (WireItem | null)[] | null;
  usage?: WireUsage | null;
  error?: { code?: string | null; message?: string | null } | null;
  incomplete_details?: { reason?: string | null } | null;
  service_tier?: string | null;
}

interface WireUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  input_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
}

/** Prices of the service tiers as multiples of the model's prices. Source: the provider's price list. */
const tierFactors: Readonly<Record<string, number>> = { flex: 0.5, priority: 2 };

/** Error codes that are the request's fault, so that a retry would fail too. Source: API reference, "Response error". */
const requestErrors = /^(?:invalid_|image_|unsupported_|empty_image|failed_to_download_image|data_residency)/;
/** Error codes of answers that the provider's policies forbid. */
const policyErrors = /policy/;

/** The parts of the request that the reader needs. */
export interface RequestFacts {
  tools?: readonly Tool[] | undefined;
  serviceTier?: string | null | undefined;
}

/** Reads the events of a Responses stream and reports them to the assembler. Does no HTTP. */
export class ResponsesEventReader {
  readonly #assembler: MessageAssembler;
  readonly #model: Model;
  readonly #request: RequestFacts;
  readonly #readName: (wireName: string) => string;
  /** By output index. The index is preferred to the id, because some gateways change the id from event to event. */
  readonly #itemsByIndex = new Map<number, OutputItem>();
  readonly #itemsById = new Map<string, OutputItem>();
  #hasCalls = false;

  constructor(assembler: MessageAssembler, model: Model, request: RequestFacts = {}) {
    this.#assembler = assembler;
    this.#model = model;
    this.#request = request;
    this.#readName = createNameReader(request.tools);
  }

  /**
   * Reads one event.
   *
   * @param data - The event's JSON text.
   * @returns Whether it was the last one.
   * @throws {AiError} When the provider reports an error, or the event is not JSON.
   */
  read(data: string): boolean {
    if (data === endMarker && this.#assembler.message.content.length > 0) {
      this.#finish("completed", {});
      return true;
    }
    const event = readWireEvent<WireEvent>(data, this.#model.provider);
    if (!event) return false;
    switch (event.type) {
      case "response.output_item.added":
        if (event.item) this.#add(event, event.item);
        return false;
      case "response.output_item.done":
        if (event.item) (this.#find(event, event.item.id) ?? this.#add(event, event.item))?.end(event.item);
        return false;
      case "response.completed":
      case "response.done":
        this.#finish("completed", event.response ?? {});
        return true;
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.#finish(event.type.slice("response.".length), event.response ?? {});
        return true;
      case "error":
      case undefined: // gateways send an error without a type
        if (event.type || event.error) throw wireError(event, this.#model.provider);
        return false;
      default:
        this.#assembler.start();
        this.#find(event, event.item_id)?.read(event);
        return false;
    }
  }

  #add(event: WireEvent, item: WireItem): OutputItem | undefined {
    const open = openItem({ ...item, name: this.#readName(item.name ?? "") }, this.#assembler);
    if (!open) return undefined;
    if (item.type === "function_call") this.#hasCalls = true;
    if (event.output_index !== undefined) this.#itemsByIndex.set(event.output_index, open);
    if (item.id) this.#itemsById.set(item.id, open);
    return open;
  }

  #find({ output_index }: { output_index?: number }, id: string | null | undefined): OutputItem | undefined {
    const byIndex = output_index === undefined ? undefined : this.#itemsByIndex.get(output_index);
    return byIndex ?? (id ? this.#itemsById.get(id) : undefined);
  }

  /** @param eventStatus - The status in the event's name, for servers that omit it in the response. */
  #finish(eventStatus: string, response: WireResponse): void {
    this.#reportUsage(response);
    const status = !response.status || response.status === "in_progress" ? eventStatus : response.status;
    if (status === "failed" || status === "cancelled") throw failedResponse(status, response, this.#model.provider);
    const reason = status === "completed" ? (this.#hasCalls ? "toolUse" : "stop") : mapIncomplete(status, response, this.#model);
    for (const [output_index, item] of (response.output ?? []).entries()) {
      if (item) this.#find({ output_index }, item.id)?.end(item);
    }
    this.#assembler.done(reason);
  }

  /** The wire's input count includes cached tokens; ours does not. */
  #reportUsage({ usage, service_tier }: WireResponse): void {
    if (!usage) return;
    const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
    const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? 0;
    const input = (usage.input_tokens ?? 0) - cacheRead - cacheWrite;
    const model = { cost: this.#costAt(service_tier) };
    this.#assembler.setUsage(priceUsage(model, { input, output: usage.output_tokens, cacheRead, cacheWrite }));
  }

  /** The served tier decides. `default` is ignored, because some servers report it for every request. */
  #costAt(served: string | null | undefined): Model["cost"] {
    const { cost } = this.#model;
    const tier = served && served !== "default" ? served : this.#request.serviceTier;
    const factor = tierFactors[tier ?? ""] ?? 1;
    const { input, output, cacheRead, cacheWrite } = cost;
    return { input: input * factor, output: output * factor, cacheRead: cacheRead * factor, cacheWrite: cacheWrite * factor };
  }
}

/** Maps the reason of an incomplete response to our stop reason. Throws for the reasons of failed answers. */
function mapIncomplete(status: string, { incomplete_details }: WireResponse, model: Model): "length" {
  const reason = incomplete_details?.reason ?? status;
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") {
    throw new AiError("refused", `A content filter of ${model.provider} stopped the answer (${reason}).`);
  }
  throw unknownStopReason(reason, model);
}

function failedResponse(status: string, { error, incomplete_details }: WireResponse, provider: string): AiError {
  const message = error?.message ?? incomplete_details?.reason ?? "";
  return describedError(error?.code || status, message, provider);
}

/** Error events are flat, or hold the error in the field `error`. */
function wireError({ type, code, message, error }: WireEvent, provider: string): AiError {
  const nested = (typeof error === "object" ? error : undefined) as { code?: unknown; type?: unknown } | null | undefined;
  const name = code || nested?.code || nested?.type || type;
  return describedError(name, message ?? (error ? describeErrorBody(error) : ""), provider, error);
}

function describedError(code: unknown, message: string, provider: string, body?: unknown): AiError {
  if (typeof code === "string") {
    if (policyErrors.test(code)) return new AiError("refused", `${code} from ${provider}: ${message || "no message"}`);
    if (requestErrors.test(code) && code !== "invalid_api_key") return errorForStatus(400, message, { provider, type: code });
  }
  return errorInStream({ type: code, message, body }, provider);
}
