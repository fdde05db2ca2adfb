import { relative } from "node:path";
import type { AgentTool } from "@pikit/agent";
import type { RiskTier } from "../risk-tiers.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { expandPath, findExisting } from "../tools/files/paths.ts";
import { type Finding, judgeLine, judgeStartFile } from "./findings.ts";
import { Places } from "./places.ts";
import type { Assessment } from "./verdict.ts";

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

type Assess = (params: Params, place: Place) => Promise<Assessment>;

const builtIn: Record<string, RiskTier | Assess> = {
  read: "read",
  grep: "read",
  find: "read",
  ls: "read",
  todo: "read",
  write: (params, place) => assessWrite(params, place, expandPath),
  edit: (params, place) => assessWrite(params, place, findExisting),
  bash: async ({ command }, place) => ({ tier: "execute", ...(await judgeLine(String(command), place)) }),
  preview: "execute",
  // Each call of a sub-task is assessed by itself.
  delegate: async () => ({ tier: "execute", findings: [] }),
};

/** Whether a tool only reads. */
export function isReader(tool: AgentTool, tiers: ToolTiers): boolean {
  return findTier(tool, tiers) === "read";
}

/** Assesses the risk of a tool call with these parameters. */
export async function assessTool(tool: AgentTool, params: unknown, place: Place, tiers: ToolTiers): Promise<Assessment> {
  const tier = findTier(tool, tiers);
  if (typeof tier === "function") return tier(params as Params, place);
  if (tier === "confirm_required") {
    return { tier, findings: [{ reason: `calls a tool that always needs approval: ${tool.name}`, isRisky: true }] };
  }
  const isKnown = tier === "read" || tier === "write";
  return { tier, findings: isKnown ? [] : [{ reason: `calls a tool that pi does not know: ${tool.name}`, isRisky: false }] };
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
): Promise<Assessment> {
  const path = String(params.path);
  const tier = "write";
  let full: string;
  try {
    full = await expand(cwd, path, files);
  } catch {
    // An invalid path; the tool reports the error.
    return { tier, findings: [] };
  }
  const places = await Places.of({ cwd, files });
  const { location, target } = await places.find(full, { isPattern: false });
  if (target === undefined) {
    return { tier, findings: [{ reason: `writes to a path that cannot be resolved: ${path}`, isRisky: true }] };
  }
  const touched = [{ kind: "write" as const, path: target, isWide: false, part: undefined }];
  if (location === "outside") {
    const where = target === path ? path : `${path} (${target})`;
    const finding: Finding = {
      reason: `writes outside the working folder: ${where}`,
      isRisky: true,
      path: target,
      kind: "outside",
    };
    return { tier, touched, findings: [finding] };
  }
  const later = judgeStartFile(relative(places.folder, target), target);
  return { tier, touched, findings: later ? [later] : [] };
}
