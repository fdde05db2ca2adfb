import { OutputTail } from "../../exec/output-tail.ts";
import type { ProcessResult, ProcessRunner, RunProcessOptions } from "../../exec/process-runner.ts";
import type { JsonRpc } from "./json-rpc.ts";

export interface EditorTerminalParts {
  rpc: JsonRpc;
  /** Called with each command, because the session has no id yet when its tools are created. */
  sessionId(): string;
  /** Shows the terminal of a tool call in the editor. */
  show(toolCallId: string, terminalId: string): void;
}

/** Maximum bytes of output that the editor keeps; it drops the beginning. */
const outputByteLimit = 1_048_576;

/** The reason why a command was ended. */
type Interruption = "timeout" | "aborted";

/**
 * Runs shell commands in terminals of the editor, where the person sees them and can end them. The output comes at the end of a command,
 * because the editor shows it itself while the command runs. Programs with arguments are run by `local`.
 */
export function editorTerminal({ rpc, sessionId, show }: EditorTerminalParts, local: ProcessRunner): ProcessRunner {
  return async (options) => {
    const { command, cwd, signal, toolCallId } = options;
    if (typeof command !== "string" || toolCallId === undefined) return local(options);
    const session = { sessionId: sessionId() };
    const request = { ...session, command: "bash", args: ["-c", command], cwd, outputByteLimit };
    const { terminalId } = (await rpc.request("terminal/create", request, signal)) as { terminalId: string };
    const terminal = { ...session, terminalId };
    try {
      show(toolCallId, terminalId);
      const outcome = await waitForExit(rpc, terminal, options);
      return await readResult(rpc, terminal, outcome, options);
    } finally {
      // The editor shows the output further. It may be gone.
      await rpc.request("terminal/release", terminal).catch(() => undefined);
    }
  };
}

/** Waits for the end of a command; kills it after its time, and on abort. */
async function waitForExit(
  rpc: JsonRpc,
  terminal: object,
  { signal, timeoutMs }: RunProcessOptions,
): Promise<Interruption | "exited"> {
  const { promise, resolve } = Promise.withResolvers<Interruption>();
  const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, Math.min(timeoutMs, 2 ** 31 - 1), "timeout");
  const onAbort = () => resolve("aborted");
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const exited = rpc.request("terminal/wait_for_exit", terminal).then(() => "exited" as const);
    exited.catch(() => undefined); // after a kill, its answer does not matter
    const outcome = await Promise.race([exited, promise]);
    if (outcome !== "exited") await rpc.request("terminal/kill", terminal).catch(() => undefined);
    return outcome;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

async function readResult(
  rpc: JsonRpc,
  terminal: object,
  outcome: ProcessResult["outcome"],
  { onOutput }: RunProcessOptions,
): Promise<ProcessResult> {
  const answer = (await rpc.request("terminal/output", terminal)) as {
    output?: unknown;
    truncated?: unknown;
    exitStatus?: { exitCode?: number | null; signal?: string | null } | null;
  } | null;
  const output = typeof answer?.output === "string" ? answer.output : "";
  if (output !== "") onOutput?.(output, "stdout");
  const tail = new OutputTail();
  tail.append(output);
  const { text, ...facts } = tail.snapshot();
  return {
    ...facts,
    ...(answer?.truncated === true && !facts.truncated ? { truncated: true, truncatedBy: "bytes" as const } : {}),
    ...{ output: text, outcome },
    exitCode: answer?.exitStatus?.exitCode ?? null,
    exitSignal: (answer?.exitStatus?.signal ?? null) as NodeJS.Signals | null,
    ...(facts.truncated ? { fullOutputError: "it was in a terminal of the editor" } : {}),
  };
}
