import type { ThinkingLevel } from "@pikit/ai";
import type { CreateAgentSessionOptions, SessionChoice } from "../create-agent-session.ts";
import { UsageError } from "../errors.ts";
import { type BuiltInToolName, builtInToolNames } from "../tools/index.ts";
import type { Arguments } from "./args.ts";

/** What the command line says about the session to make. */
export function toSessionOptions({ options }: Arguments): CreateAgentSessionOptions {
  return {
    ...pick("model", options.model),
    ...pick("provider", options.provider),
    ...pick("apiKey", options["api-key"]),
    ...pick("thinkingLevel", options.thinking as ThinkingLevel | undefined),
    ...pick("systemPrompt", options["system-prompt"]),
    ...pick("appendSystemPrompt", options["append-system-prompt"]),
    ...pick("sessionDir", options["session-dir"]),
    ...pick("tools", options["no-tools"] ? [] : readToolNames(options.tools)),
    contextFiles: !options["no-context-files"],
    session: chooseSession(options),
  };
}

function chooseSession(options: Arguments["options"]): SessionChoice {
  const chosen = (["no-session", "continue", "session", "session-id"] as const).filter((name) => options[name] !== undefined);
  if (chosen.length > 1) throw new UsageError(`--${chosen[0]} and --${chosen[1]} exclude each other. Give one of them.`);
  if (options["no-session"]) return "memory";
  if (options.continue) return "continue";
  if (options["session-id"] !== undefined) return { id: options["session-id"] };
  const { session } = options;
  if (session === undefined) return "new";
  return /[/\\]|\.jsonl$/.test(session) ? { path: session } : { idPrefix: session };
}

function readToolNames(list: string | undefined): BuiltInToolName[] | undefined {
  if (list === undefined) return undefined;
  const names = list.split(",").map((name) => name.trim());
  for (const name of names) {
    if (!(builtInToolNames as readonly string[]).includes(name)) {
      throw new UsageError(`Unknown tool "${name}" in --tools: expected some of ${builtInToolNames.join(", ")}.`);
    }
  }
  return names as BuiltInToolName[];
}

function pick<K extends keyof CreateAgentSessionOptions>(key: K, value: CreateAgentSessionOptions[K] | undefined) {
  return (value === undefined ? {} : { [key]: value }) as Pick<CreateAgentSessionOptions, K> | Record<never, never>;
}
