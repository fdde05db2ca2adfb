import type { ScriptedModel } from "./apis/scripted/script.ts";
import type { ReplayModel, ReplayOptions } from "./recording/player.ts";
import type { RecordOptions } from "./recording/recorder.ts";
import type { Model } from "./types.ts";

/**
 * Reads a script file, with one `ScriptedAnswer` per line, and creates a model that plays it.
 *
 * @throws {AiError} `unsupported` when the file cannot be read, or a line is not an answer; the message names file and line.
 */
export async function loadScriptedModel(path: string): Promise<ScriptedModel> {
  return (await import("./apis/scripted/script-file.ts")).loadScriptedModel(path);
}

/**
 * Creates a copy of `model` that records each answer: it appends the request, the wire events with their times, and the end to `file`.
 * Several models may share a file, and later runs may append to it. Keys and headers are left out. The file is created at once, with mode
 * 0600, and each line is written as soon as it is complete.
 *
 * @throws {AiError} `unsupported` when the file cannot be written or is not a recording, or when the model uses no provider.
 */
export async function record<T extends Model>(model: T, file: string, options?: RecordOptions): Promise<T> {
  return (await import("./recording/recorder.ts")).record(model, file, options);
}

/**
 * Creates a model that plays a recording, without network and key. Each call takes the next answer. Its request must match the recorded
 * one in the model id, the tool names, and the roles, texts and tool calls of the messages. A request that differs, or that comes after
 * the last answer, fails with `invalid_request`; the message describes the difference, and the answer is kept for the next call.
 *
 * @throws {AiError} `unsupported` when the file cannot be read or is not a recording; the message names the line.
 */
export async function replay(file: string, options?: ReplayOptions): Promise<ReplayModel> {
  return (await import("./recording/player.ts")).replay(file, options);
}
