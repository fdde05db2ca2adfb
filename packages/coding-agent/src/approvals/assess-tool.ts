import type { AgentTool } from "@pikit/agent";
import type { RiskTier } from "../risk-tiers.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { expandPath, findExisting } from "../tools/files/paths.ts";
import { findWriteTarget, isInside } from "../tools/files/write-target.ts";
import type { Verdict } from "./verdict.ts";

/** The environment of a call. */
export interface Place {
  /** The working folder, absolute. */
  cwd: string;
  files: FileAccess;
}

export interface ToolTiers {
  /** Whether a tool is a built-in one, and not another tool with the same name. */
  isBuiltIn(tool: AgentTool): boolean;
  /** The tiers of other tools, by name. Default: `execute`. */
  toolTiers?: Readonly<Record<string, RiskTier>>;
}

/** The validated parameters that affect the risk. */
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

/** Whether a tool only reads. */
export function isReader(tool: AgentTool, tiers: ToolTiers): boolean {
  return findTier(tool, tiers) === "read";
}

/** Assesses the risk of a tool call with these parameters. */
export async function assessTool(tool: AgentTool, params: unknown, place: Place, tiers: ToolTiers): Promise<Verdict> {
  const tier = findTier(tool, tiers);
  if (typeof tier === "function") return tier(params as Params, place);
  return { tier, reasons: tier === "confirm_required" ? [`calls a tool that always needs approval: ${tool.name}`] : [] };
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
    // An invalid path; the tool reports the error.
    return { tier: "write", reasons: [] };
  }
  if (target === undefined) {
    return { tier: "confirm_required", reasons: [`writes to a path that cannot be resolved: ${path}`] };
  }
  const folder = await files.realpath(cwd).catch(() => cwd);
  if (isInside(folder, target)) return { tier: "write", reasons: [] };
  const where = target === path ? path : `${path} (${target})`;
  return { tier: "confirm_required", reasons: [`writes outside the working folder: ${where}`] };
}
