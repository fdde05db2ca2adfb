import { basename, resolve } from "node:path";
import type { ApiAdapter, ApiRequest } from "../api-adapter.ts";
import type { MessageAssembler } from "../assembler.ts";
import { AiError } from "../errors.ts";
import type { Model } from "../types.ts";
import { type CallInterceptor, intercept } from "./call-interceptor.ts";
import { describeDifference } from "./difference.ts";
import { fromRecordedError, recordingError } from "./format.ts";
import { playHost } from "./host-player.ts";
import { createPace } from "./pace.ts";
import { type RecordedCall, readRecording } from "./read-recording.ts";
import { summarizeRequest } from "./request-summary.ts";
import { replayResponse } from "./response-player.ts";
import { maskFolder } from "./text-mask.ts";

export interface ReplayOptions {
  /** `recorded` waits as long as the provider did before the response and each event. Default: `instant`. */
  speed?: "instant" | "recorded";
  /** The folder that replaces `<cwd>`. Default: the working folder of the process. */
  cwd?: string;
}

/** A model that plays a recording. It has the fields of the first recorded model. */
export interface ReplayModel extends Model {
  /** Every model of the recording, in order of appearance. They share the recording: each call of any of them takes the next answer. */
  readonly recordedModels: readonly Model[];
}

/** See `replay` in index.ts. */
export async function replay(file: string, { speed = "instant", cwd = process.cwd() }: ReplayOptions = {}): Promise<ReplayModel> {
  const path = resolve(file);
  const calls = await readRecording(path);
  const [first] = calls;
  if (!first) throw recordingError(`${path} holds no answer. Record a run that calls a model.`);
  const player = new Player(basename(path), calls, { speed, folder: resolve(cwd) });
  const models = new Map<string, Model>();
  for (const { model } of calls) {
    const name = `${model.provider}/${model.id}`;
    if (!models.has(name)) models.set(name, intercept(model, player));
  }
  return { ...intercept(first.model, player), recordedModels: [...models.values()] };
}

class Player implements CallInterceptor {
  readonly #name: string;
  readonly #calls: readonly RecordedCall[];
  readonly #isPaced: boolean;
  readonly #folder: string;
  #position = 0;

  constructor(name: string, calls: readonly RecordedCall[], options: { speed: "instant" | "recorded"; folder: string }) {
    this.#name = name;
    this.#calls = calls;
    this.#isPaced = options.speed === "recorded";
    this.#folder = options.folder;
  }

  /** Answers a call with the next recorded response. The adapter of the recorded api reads it like a response of the provider. */
  async call(request: ApiRequest, assembler: MessageAssembler, adapter: ApiAdapter): Promise<void> {
    const call = this.#take(request);
    const { responses, end } = call;
    const { signal } = request.options;
    const pace = createPace(this.#isPaced);
    const failure = end?.error ? fromRecordedError(end.error) : undefined;
    if (responses.length === 0) {
      if (end && !failure)
        throw this.#error(`was recorded without its response, because its api does not use the fetch option`, call);
      await pace(end?.ms ?? 0, signal);
      throw failure ?? this.#interrupted(call);
    }
    /** Ends the answer with the recorded failure, or as interrupted, if the response itself has no end. */
    const breakOff = () => {
      if (!end || failure) assembler.fail(failure ?? this.#interrupted(call));
    };
    const waiting = responses.values();
    if (request.model.api === "host") {
      const { value: response } = waiting.next();
      const model = response && playHost(request.model, response, { folder: this.#folder, pace, breakOff });
      return adapter({ ...request, model: model ?? request.model }, assembler);
    }
    const fetch = async (_url: string, { signal }: RequestInit): Promise<Response> => {
      const { value: response } = waiting.next();
      if (response)
        return replayResponse(response, { folder: this.#folder, pace, signal: signal ?? undefined, endMs: end?.ms, breakOff });
      await pace(end?.ms ?? 0, signal ?? undefined);
      breakOff();
      throw new Error("the recording holds no further response");
    };
    // The adapter requires a key for some providers; this one is never sent.
    await adapter({ ...request, options: { ...request.options, apiKey: "replayed", fetch } }, assembler);
  }

  #take({ model, context }: ApiRequest): RecordedCall {
    const number = this.#position + 1;
    const call = this.#calls[this.#position];
    if (!call) {
      const count = this.#calls.length === 1 ? "1 answer" : `${this.#calls.length} answers`;
      throw new AiError(
        "invalid_request",
        `${this.#name} holds ${count}, but call ${number} needs another one. Record a longer run.`,
      );
    }
    const difference = describeDifference(call.request, summarizeRequest(model, context, maskFolder(this.#folder)));
    if (difference) {
      const where = `answer ${number} of ${this.#name} (line ${call.line})`;
      throw new AiError(
        "invalid_request",
        `The request differs from the one of ${where} in ${difference}. If the new request is correct, record again.`,
      );
    }
    this.#position += 1;
    return call;
  }

  #interrupted(call: RecordedCall): AiError {
    return this.#error("is not complete: the process that recorded it was killed. Record it again", call);
  }

  #error(what: string, { line }: RecordedCall): AiError {
    return recordingError(`The answer in line ${line} of ${this.#name} ${what}.`);
  }
}
