import type { RequestedThinkingLevel } from "@pikit/ai";
import type { ApprovalPolicy } from "../config/approval-policies.ts";
import type { SandboxMode } from "../config/sandbox-modes.ts";
import type { SessionChoice } from "../conversation/choose-session.ts";
import { looksLikePath } from "../conversation/ids.ts";
import { UsageError } from "../errors.ts";
import type { RunLimits } from "../run/limits.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../session/options.ts";
import { isBuiltInToolName } from "../tools/index.ts";
import type { Arguments } from "./args.ts";
import { readPromptOption } from "./prompt-option.ts";

/**
 * Converts the command line to the options of the session, and checks them.
 *
 * @throws {UsageError} For options that exclude each other, and for invalid values.
 */
export async function readSessionOptions(args: Arguments): Promise<CreateAgentSessionOptions & EntryPointOptions> {
  const options = toSessionOptions(args);
  const names = [...(options.onlyTools ?? []), ...(options.excludeTools ?? [])];
  if (names.some((name) => !isBuiltInToolName(name))) (await import("./check-tool-names.ts")).checkToolNames(names);
  return options;
}

/** @internal Exported for its tests. */
export function toSessionOptions({ options }: Arguments): CreateAgentSessionOptions & EntryPointOptions {
  return {
    loadLibrary: () => import("../index.ts"),
    ...pick("model", options.model),
    ...pick("provider", options.provider),
    ...pick("apiKey", options["api-key"]),
    ...pick("thinkingLevel", options.thinking as RequestedThinkingLevel | undefined),
    ...pick("systemPrompt", options["system-prompt"] && readPromptOption(options["system-prompt"])),
    ...pick("appendSystemPrompt", options["append-system-prompt"]?.map(readPromptOption).join("\n\n")),
    ...pick("sessionDir", options["session-dir"]),
    ...pick("record", options.record),
    ...chooseTools(options),
    ...pick("limits", readLimits(options)),
    contextFiles: !options["no-context-files"],
    ...pick("extensions", options.extension),
    discoverExtensions: !options["no-extensions"],
    ruleFiles: !options["no-rules"],
    ...pick("trustProject", readTrust(options)),
    ...pick("skills", options.skill ?? (options["no-skills"] ? false : undefined)),
    discoverSkills: !options["no-skills"],
    ...pick("promptTemplates", options["prompt-template"] ?? (options["no-prompt-templates"] ? false : undefined)),
    discoverPromptTemplates: !options["no-prompt-templates"],
    mcp: !options["no-mcp"],
    offline: options.offline ?? false,
    ...pick("name", options.name),
    ...pick(
      "modelScope",
      options.models?.split(",").map((name) => name.trim()),
    ),
    ...pick("approval", options.approval as ApprovalPolicy | undefined),
    readOnly: options["read-only"] ?? false,
    ...pick("sandbox", options.sandbox as SandboxMode | undefined),
    session: chooseSession(options),
    takeOverLock: options["take-over"] ?? false,
  };
}

function chooseSession(options: Arguments["options"]): SessionChoice {
  const chosen = (["no-session", "continue", "resume", "session", "session-id", "fork"] as const).filter(
    // With --fork, --session-id is the id of the copy.
    (name) => options[name] !== undefined && (name !== "session-id" || options.fork === undefined),
  );
  if (chosen.length > 1)
    throw new UsageError("invalid_arguments", `--${chosen[0]} and --${chosen[1]} exclude each other. Give one of them.`);
  if (options["no-session"]) return "memory";
  // The modes for a person have replaced it by the chosen session.
  if (options.resume) {
    throw new UsageError(
      "invalid_arguments",
      "--resume asks for a session at a terminal, and starts a conversation there. Without that, give --continue, or --session with an id.",
    );
  }
  if (options.continue) return "continue";
  const { "session-id": id } = options;
  if (options.fork !== undefined) return { fork: options.fork, ...(id === undefined ? {} : { id }) };
  if (id !== undefined) return { id };
  const { session } = options;
  if (session === undefined) return "new";
  return looksLikePath(session) ? { path: session, orBegin: true } : { idPrefix: session };
}

/** @throws {UsageError} Where nothing is opened whose lock could be replaced. */
export function checkTakeOver({ options }: Arguments): void {
  if (!options["take-over"] || options.session !== undefined || options["session-id"] !== undefined || options.continue) return;
  throw new UsageError(
    "invalid_arguments",
    "--take-over says how a session is opened. Give --session, --session-id or --continue too.",
  );
}

function readTrust(options: Arguments["options"]): boolean | undefined {
  if (options.approve && options["no-approve"]) {
    throw new UsageError("invalid_arguments", "--approve and --no-approve exclude each other. Give one of them.");
  }
  if (options.approve) return true;
  return options["no-approve"] ? false : undefined;
}

function readLimits(options: Arguments["options"]): RunLimits | undefined {
  const maxTurns = readNumber("max-turns", options["max-turns"], 1);
  const maxCostUsd = readNumber("max-cost", options["max-cost"]);
  const maxTimeSeconds = readNumber("max-time", options["max-time"]);
  const maxToolCalls = readNumber("max-tool-calls", options["max-tool-calls"]);
  const limits: RunLimits = {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(maxTimeSeconds === undefined ? {} : { maxTimeMs: maxTimeSeconds * 1000 }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function readNumber(name: string, text: string | undefined, minimum = 0): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= minimum) return number;
  throw new UsageError("invalid_arguments", `--${name} must be a number of at least ${minimum}, but is "${text}".`);
}

/** Names that are not of built-in tools may belong to tools of extensions and MCP servers, which are not loaded yet. */
function chooseTools(options: Arguments["options"]): Pick<CreateAgentSessionOptions, "tools" | "onlyTools" | "excludeTools"> {
  const named = splitList(options.tools);
  const only = options["no-tools"] ? [] : named;
  const isBuiltInUsed = !options["no-tools"] && !options["no-builtin-tools"];
  const tools = isBuiltInUsed ? named?.filter((name) => isBuiltInToolName(name)) : [];
  return {
    ...pick("tools", tools),
    ...pick("onlyTools", only),
    ...pick("excludeTools", splitList(options["exclude-tools"])),
  };
}

function splitList(list: string | undefined): string[] | undefined {
  return list?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function pick<K extends keyof CreateAgentSessionOptions>(key: K, value: CreateAgentSessionOptions[K] | undefined) {
  return (value === undefined ? {} : { [key]: value }) as Pick<CreateAgentSessionOptions, K> | Record<never, never>;
}
