import type { PendingToolCall } from "@pikit/agent";
import type { Finding } from "./findings.ts";

/** The sandbox of the commands that approvals decide about. */
export interface Containment {
  /** Whether commands run in it: it may be missing on this machine. */
  isActive(): Promise<boolean>;
  /** Whether commands in it can reach other machines. */
  hasNetwork: boolean;
}

/** Maximum characters of a reason of the model. */
const maxReason = 300;

/** Effects that a sandbox prevents, or that stay in it. Deletes and lost work in the working folder are not among them. */
const contained: ReadonlySet<Finding["kind"]> = new Set(["outside", "later", "device", "kill", "otherUser", "system", "download"]);
/** The same without a network. */
const containedOffline: ReadonlySet<Finding["kind"]> = new Set(["forcePush", "remote"]);

/** The findings about which a question is needed although the command runs in a sandbox. */
export function withoutContained(
  findings: readonly Finding[],
  { hasNetwork }: Pick<Containment, "hasNetwork">,
): readonly Finding[] {
  return findings.filter(({ kind }) => !contained.has(kind) && (hasNetwork || !containedOffline.has(kind)));
}

/** Why a call wants to run outside of the sandbox, in the words of the model; undefined if it does not. */
export function reasonToLeave({ tool, params }: Pick<PendingToolCall, "tool" | "params">): string | undefined {
  const { outsideSandbox } = (params ?? {}) as { outsideSandbox?: unknown };
  if (tool.name !== "bash" || outsideSandbox === undefined) return undefined;
  return String(outsideSandbox).slice(0, maxReason).replace(/\s+/g, " ").trim().replace(/\.$/, "");
}
