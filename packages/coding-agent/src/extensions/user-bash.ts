import { StringDecoder } from "node:string_decoder";
import { SessionError } from "../errors.ts";
import { OutputTail } from "../exec/output-tail.ts";
import { OutputSanitizer } from "../exec/sanitize-output.ts";
import type { BashResult } from "../protocol/data.ts";
import type { BashOperations, UserBashResult } from "./events.ts";
import { type Callers, callHandlers, resultOf } from "./handler-results.ts";
import type { UserBashCall } from "./hooks.ts";

/**
 * Offers a shell command of the user to the extensions. The first one that handles it is the last one that is called.
 *
 * @returns Undefined if none has handled it.
 * @throws {SessionError} `invalid_input` when a handler fails, because the handler might have run the command elsewhere.
 */
export async function offerUserBash(callers: Callers, call: UserBashCall): Promise<BashResult | undefined> {
  const { command, excludeFromContext, cwd, signal } = call;
  const event = () => ({ type: "user_bash" as const, command, excludeFromContext, cwd });
  for await (const outcome of callHandlers(callers, "user_bash", event, { signal })) {
    if ("failure" in outcome) {
      const reason = `The extension ${outcome.extension.path} handles commands and failed: ${outcome.failure}`;
      throw new SessionError("invalid_input", `The command was not run. ${reason}`);
    }
    const { result, operations } = resultOf<"user_bash">(outcome);
    if (result) return toBashResult(result);
    if (operations) return runElsewhere(operations, call);
  }
  return undefined;
}

function toBashResult({ output, exitCode = 0, cancelled = false, truncated = false, fullOutputPath }: UserBashResult): BashResult {
  const text = new OutputSanitizer().write(String(output));
  const tail = new OutputTail();
  tail.append(text);
  const kept = tail.snapshot();
  const sizes = sizesOf(kept);
  return {
    ...{ output: kept.text, exitCode, cancelled, truncated: truncated || kept.truncated, ...sizes },
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  };
}

async function runElsewhere(operations: BashOperations, { command, cwd, signal, onOutput }: UserBashCall): Promise<BashResult> {
  const tail = new OutputTail();
  const decoder = new StringDecoder("utf8");
  const sanitizer = new OutputSanitizer();
  const add = (decoded: string) => {
    const text = sanitizer.write(decoded);
    tail.append(text);
    if (text !== "") onOutput?.(text);
  };
  let exitCode: number | null = null;
  try {
    const ended = await operations.exec(command, cwd, { onData: (data) => add(decoder.write(Buffer.from(data))), signal });
    ({ exitCode } = ended);
  } catch (error) {
    if (!signal.aborted) add(`\n${error instanceof Error ? error.message : String(error)}\n`);
  }
  add(decoder.end());
  const kept = tail.snapshot();
  return { output: kept.text, exitCode, cancelled: signal.aborted, truncated: kept.truncated, ...sizesOf(kept) };
}

function sizesOf({ totalLines, totalBytes, outputLines, outputBytes }: ReturnType<OutputTail["snapshot"]>) {
  return { totalLines, totalBytes, outputLines, outputBytes };
}
