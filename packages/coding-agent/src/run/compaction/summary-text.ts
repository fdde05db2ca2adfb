import type { AgentMessage } from "@pikit/agent";
import type { CompactionDetails } from "../../protocol/data.ts";
import { element, shorten, textOf } from "./conversation-text.ts";
import type { CompactionPlan } from "./cut-point.ts";
import { readDetails } from "./file-lists.ts";

/** Maximum files of each kind in a summary: the latest. The entry's details have all. */
const mostFiles = 100;

/** Maximum characters of the user's request. */
const longestRequest = 4000;

/**
 * The user's request, if the kept part begins in the middle of the work on it. Undefined if the kept part begins with a request, or
 * contains no work.
 */
export function findOpenRequest({ previous, summarised, kept }: CompactionPlan): string | undefined {
  const first = kept.find(({ role }) => role === "user" || role === "assistant" || role === "toolResult");
  if (!first || first.role === "user") return undefined;
  const last: AgentMessage | undefined = summarised.findLast(({ role }) => role === "user");
  if (last?.role === "user") return shorten(textOf(last.content), longestRequest);
  return readDetails(previous?.details).request;
}

/** The summary for the model: the written text, then the open request and the files. */
export function completeSummary(text: string, details: CompactionDetails): string {
  return [text, ...appendix(details)].join("\n\n");
}

/** The written text of a summary from `completeSummary`. Other summaries are returned unchanged. */
export function writtenPart({ summary, details }: { summary: string; details?: unknown }): string {
  const end = appendix(readDetails(details)).join("\n\n");
  return end !== "" && summary.endsWith(end) ? summary.slice(0, -end.length).trimEnd() : summary;
}

function appendix({ request, readFiles, modifiedFiles }: CompactionDetails): string[] {
  const parts: string[] = [];
  if (request !== undefined) parts.push(`The work goes on with what the user asked for:\n${element("open-request", "", request)}`);
  if (readFiles.length > 0) parts.push(listFiles("read-files", readFiles));
  if (modifiedFiles.length > 0) parts.push(listFiles("modified-files", modifiedFiles));
  return parts;
}

function listFiles(name: string, files: readonly string[]): string {
  const shown = files.slice(-mostFiles).map((path) => path.replace(/[\r\n\u2028\u2029]+/g, " "));
  const rest = files.length - shown.length;
  return element(name, "", [...shown, ...(rest > 0 ? [`(and ${rest} before these)`] : [])].join("\n"));
}
