import type { AgentTool } from "@pikit/agent";
import type { RiskTier } from "../risk-tiers.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { expandPath, findExisting } from "../tools/files/paths.ts";
import { findWriteTarget, isInside } from "../tools/files/write-target.ts";
import type { Verdict } from "./verdict.ts";

/** Where a call would work. */
export interface Place {
  /** The working folder, absolute. */
  cwd: string;
  files: FileAccess;
}

export interface ToolTiers {
  /** Whether it is one of our own tools, and not another one of the same name. */
  isBuiltIn(tool: AgentTool): boolean;
  /** Tiers of other tools, by their names. Those without one are `execute`. */
  toolTiers?: Readonly<Record<string, RiskTier>>;
}

/** Of validated parameters, those that matter here. */
interface Params {
  path?: unknown;
  command?: unknown;
}

type Assess = (params: Params, place: Place) => Promise<Verdict>;

const builtIn: Record<string, RiskTier | Assess> = {
  read: "read",
  grep: "read",
  find: "read",
  ls: "read",
  todo: "read",
  write: (params, place) => assessWrite(params, place, expandPath),
  edit: (params, place) => assessWrite(params, place, findExisting),
  bash: async ({ command }, place) => {
    const { assessShell } = await import("./shell/assess-shell.ts");
    return assessShell(String(command), place);
  },
  preview: "execute",
  delegate: "execute",
};

/** Whether a tool only ever looks at things. */
export function isReader(tool: AgentTool, tiers: ToolTiers): boolean {
  return findTier(tool, tiers) === "read";
}

/** What a call of the tool with these parameters would be. */
export async function assessTool(tool: AgentTool, params: unknown, place: Place, tiers: ToolTiers): Promise<Verdict> {
  const tier = findTier(tool, tiers);
  if (typeof tier === "function") return tier(params as Params, place);
  return { tier, reasons: tier === "confirm_required" ? [`is a tool that always needs a yes: ${tool.name}`] : [] };
}

function findTier(tool: AgentTool, { isBuiltIn, toolTiers = {} }: ToolTiers): RiskTier | Assess {
  const { name } = tool;
  const declared = Object.hasOwn(toolTiers, name) ? toolTiers[name] : undefined;
  const own = Object.hasOwn(builtIn, name) && isBuiltIn(tool) ? builtIn[name] : undefined;
  return declared ?? own ?? "execute";
}

async function assessWrite(
  params: Params,
  { cwd, files }: Place,
  expand: (cwd: string, path: string, files: FileAccess) => Promise<string>,
): Promise<Verdict> {
  const path = String(params.path);
  let target: string | undefined;
  try {
    target = await findWriteTarget(files, await expand(cwd, path, files));
  } catch {
    // Not a path at all: the tool says so itself.
    return { tier: "write", reasons: [] };
  }
  if (target === undefined) {
    return { tier: "confirm_required", reasons: [`writes to a place that cannot be found out: ${path}`] };
  }
  const folder = await files.realpath(cwd).catch(() => cwd);
  if (isInside(folder, target)) return { tier: "write", reasons: [] };
  const where = target === path ? path : `${path} (${target})`;
  return { tier: "confirm_required", reasons: [`writes outside the working folder: ${where}`] };
}
