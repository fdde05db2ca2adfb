import { resolve } from "node:path";
import type { ApiAdapter, ApiRequest } from "../api-adapter.ts";
import { isHostModel } from "../apis/host/model.ts";
import { fetchFromProvider } from "../apis/provider-fetch.ts";
import type { MessageAssembler } from "../assembler.ts";
import { toAiError } from "../classify.ts";
import { AiError } from "../errors.ts";
import type { Model, StreamOptions } from "../types.ts";
import { intercept, interceptorOf } from "./call-interceptor.ts";
import { type CallLine, type RecordedModel, recordingError, toRecordedError } from "./format.ts";
import { recordHost } from "./host-recorder.ts";
import { type RecordingFile, recordingFileAt } from "./recording-file.ts";
import { summarizeRequest } from "./request-summary.ts";
import { type RecordedResponse, type ResponseRecorderOptions, recordResponse } from "./response-recorder.ts";
import { maskFolder, maskSecrets, maskText } from "./text-mask.ts";

export interface RecordOptions {
  /** The folder to write as `<cwd>`, so that the recording can be replayed in another folder. Default: that of the process. */
  cwd?: string;
}

/** See `record` in index.ts. */
export async function record<T extends Model>(model: T, file: string, { cwd = process.cwd() }: RecordOptions = {}): Promise<T> {
  const name = `${model.provider}/${model.id}`;
  if (model.api === "scripted") {
    throw recordingError(`${name} plays a script and uses no provider, so there is nothing to record. Choose another model.`);
  }
  const path = resolve(file);
  const present = interceptorOf(model);
  if (present?.recordsTo === path) return model;
  if (present) {
    const state = present.recordsTo === undefined ? "already plays a recording" : `is already recorded in ${present.recordsTo}`;
    throw recordingError(`${name} ${state}. Record a model that uses a provider directly.`);
  }
  const recording = recordingFileAt(path);
  recording.check();
  const folder = resolve(cwd);
  return intercept(model, {
    recordsTo: path,
    call: (request, assembler, adapter) => recordCall({ recording, folder, request, assembler, adapter }),
  });
}

interface CallToRecord {
  recording: RecordingFile;
  folder: string;
  request: ApiRequest;
  assembler: MessageAssembler;
  adapter: ApiAdapter;
}

async function recordCall({ recording, folder, request, assembler, adapter }: CallToRecord): Promise<void> {
  const { model, context, options } = request;
  const masks = [...maskSecrets(secretsOf(model, options)), ...maskFolder(folder)];
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const stream = recording.begin(describe(model), summarizeRequest(model, context, masks));
  let failure: AiError | undefined;
  let isOver = false;
  /** A call whose record is incomplete must fail. */
  let writeFailure: unknown;
  const write = (line: CallLine) => {
    if (isOver) return;
    try {
      recording.write(line);
    } catch (error) {
      writeFailure ??= error;
      throw error;
    }
  };
  let recorded: Pick<RecordedResponse, "finish"> | undefined;
  const finish = () => {
    if (isOver) return;
    recorded?.finish();
    isOver = true;
    const { stopReason, errorMessage = "" } = assembler.message;
    // An abort ends the answer before the adapter notices it.
    const ended = assembler.isEnded ? (stopReason === "aborted" ? new AiError("aborted", errorMessage) : undefined) : failure;
    const error = ended && { ...toRecordedError(ended), message: maskText(ended.message, masks) };
    const reason = assembler.isEnded ? stopReason : "error";
    recording.end({ type: "end", stream, ms: elapsed(), stopReason: reason, ...(error && { error }) });
  };
  // An abort finishes the record without waiting for the adapter, because an exiting process does not wait for the connection to close. It
  // finishes in a microtask, so that the other abort listeners run first.
  const finishSoon = () =>
    queueMicrotask(() => {
      try {
        finish();
      } catch {
        // For example a full disk. The answer has ended, so it cannot report this; a replay will report that the record is incomplete.
      }
    });
  options.signal?.addEventListener("abort", finishSoon, { once: true });
  try {
    const tapped = tap(request, { stream, masks, elapsed, write }, (record) => {
      recorded = record;
    });
    await adapter(tapped, assembler);
  } catch (error) {
    failure = toAiError(writeFailure ?? error, model);
    throw failure;
  } finally {
    options.signal?.removeEventListener("abort", finishSoon);
    finish();
  }
}

/**
 * Copies a request so that its answer is recorded.
 *
 * @param onRecord - Called with the record of each response.
 */
function tap(
  request: ApiRequest,
  options: ResponseRecorderOptions,
  onRecord: (record: Pick<RecordedResponse, "finish">) => void,
): ApiRequest {
  const { model } = request;
  if (isHostModel(model)) {
    const record = recordHost(model, options);
    onRecord(record);
    return { ...request, model: record.model };
  }
  const send = request.options.fetch ?? ((url: string, init: RequestInit) => fetchFromProvider(url, init, model.provider));
  const fetch: StreamOptions["fetch"] = async (url, init) => {
    const record = recordResponse(await send(url, init), options);
    onRecord(record);
    return record.response;
  };
  return { ...request, options: { ...request.options, fetch } };
}

function describe(model: Model): RecordedModel {
  const { id, name, api, provider, reasoning, input, contextWindow, maxTokens, cost, compat } = model;
  const baseUrl = withoutCredentials(model.baseUrl);
  return { id, name, api, provider, baseUrl, reasoning, input, contextWindow, maxTokens, cost, ...(compat && { compat }) };
}

/** The user, password and query of a URL can hold a key. */
function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1").replace(/[?#].*$/s, "");
}

const secretNames = /auth|key|token|secret|cookie|password|credential/i;

/** The credentials of a call, without a scheme such as `Bearer`. Very short values are not secrets. */
function secretsOf(model: Model, options: StreamOptions): string[] {
  const headers = Object.entries({ ...model.headers, ...options.headers }).filter(([name]) => secretNames.test(name));
  const values = [options.apiKey, ...headers.map(([, value]) => value)];
  return values.flatMap((value) => value?.trim().split(/\s+/).at(-1) ?? []).filter((value) => value.length >= 6);
}
