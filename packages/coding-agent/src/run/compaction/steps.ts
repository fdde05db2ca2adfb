// What the Compactor loads with its first compaction.
export { planCompaction, planOnRequest } from "./cut-point.ts";
export { collectFiles } from "./file-lists.ts";
export { summarize } from "./summarize.ts";
export { completeSummary, findOpenRequest, writtenPart } from "./summary-text.ts";
