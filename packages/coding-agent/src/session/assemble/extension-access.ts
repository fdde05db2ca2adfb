import type { SessionAccess } from "../../extensions/session-access.ts";
import { defaultCompactionSettings } from "../../run/compaction/policy.ts";
import { type AccessOptions, createSessionAccess } from "../access.ts";
import type { AgentSession } from "../agent-session.ts";
import { describeSystemPrompt } from "../describe-prompt.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Setup } from "./setup.ts";
import type { Supervision } from "./supervision.ts";

interface AccessInputs extends Pick<AccessOptions, "runProcess" | "reload" | "setTiers"> {
  setup: Setup;
  configuration: Configuration;
  supervision: Supervision;
}

/** Creates the part of a session that its extensions may use. Loaded with the first extension. */
export function createAccess(session: AgentSession, parts: SessionParts, inputs: AccessInputs): SessionAccess {
  const { setup, configuration, supervision, ...given } = inputs;
  const { options } = setup;
  const { settings, resources } = configuration;
  const { summaryOptions: requestOptions, retries, limits } = supervision;
  return createSessionAccess(session, parts, {
    ...given,
    isTrusted: () => resources.trustsProject,
    systemPromptOptions: () => describeSystemPrompt(parts.prompts, session.tools.active, session.cwd, options),
    async summariseBranch(messages, instructions) {
      const { model, thinkingLevel } = parts.agent.state;
      const made = await (await import("../../run/compaction/branch-summary.ts")).summariseBranch({
        ...{ messages, instructions, model, thinkingLevel, requestOptions, retry: retries.summaries },
        budget: { ...defaultCompactionSettings, ...settings.compaction, ...options.compaction },
        signal: new AbortController().signal,
      });
      if (made.usage) limits.countCost({ usage: made.usage });
      return made;
    },
  });
}
