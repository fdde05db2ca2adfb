import { type Context, createScriptedModel, type Model, type ScriptedAnswer, type ToolResultMessage } from "@pikit/ai";

/** Milliseconds between the words of the demo: fast, but visibly streamed. */
const wordDelayMs = 5;
/** Maximum lines of a file that the demo reads. */
const readLimit = 40;
/** Maximum names of a list that the demo prints. */
const maxNames = 8;

/** Files that describe a folder, best first. */
const introductions = [
  /^readme(\.(md|markdown|txt|rst))?$/i,
  /^package\.json$/,
  /^(pyproject|cargo)\.toml$/i,
  /^go\.mod$/,
  /\.md$/i,
];

/**
 * `demo/tour`: a script, not a model. It calls the real tools in the current folder and reports their results, so that a new installation
 * can be tried without a key.
 */
export function createDemoModel(): Model {
  return createScriptedModel({
    provider: "demo",
    id: "tour",
    name: "Offline demo",
    script: (context) => ({ delayMs: wordDelayMs, ...tour(context) }),
  });
}

function tour(context: Context): ScriptedAnswer {
  const tools = new Set((context.tools ?? []).map(({ name }) => name));
  const results = resultsSinceLastPrompt(context);
  const listing = results.find(({ toolName }) => toolName === "bash");
  if (!listing) {
    if (!tools.has("bash"))
      return { text: `${introduction}\n\nIt has no tools here, so there is nothing to show.\n\n${howToGoOn}` };
    return {
      text: `${introduction} The tools are real: first I list this folder.`,
      toolCalls: [{ name: "bash", arguments: { command: "ls -Ap" } }],
    };
  }
  const { names, total } = readListing(listing);
  const file = pickIntroduction(names);
  const reading = results.find(({ toolName }) => toolName === "read");
  if (file !== undefined && !reading && tools.has("read")) {
    return {
      text: `There are ${total} entries. I read ${file} next.`,
      toolCalls: [{ name: "read", arguments: { path: file, limit: readLimit } }],
    };
  }
  return { text: summarise(listing, file, reading) };
}

/** The names in a listing and their total number. Of a long listing, bash returns only the end, with a note as the last line. */
function readListing(listing: ToolResultMessage): { names: string[]; total: number } {
  if (listing.isError) return { names: [], total: 0 };
  const lines = textOf(listing)
    .split("\n")
    .filter((line) => line !== "" && line !== "(no output)");
  const { truncated, totalLines } = (listing.details ?? {}) as { truncated?: boolean; totalLines?: number };
  return truncated ? { names: lines.slice(0, -1), total: totalLines ?? lines.length } : { names: lines, total: lines.length };
}

const introduction = "This is demo/tour, a script that ships with pi; no model is asked.";
const howToGoOn =
  "It cannot answer questions. For that, set ANTHROPIC_API_KEY or OPENAI_API_KEY and run the same command again, or choose a model with --model provider/id (pi --list-models shows them).";

function summarise(listing: ToolResultMessage, file: string | undefined, reading: ToolResultMessage | undefined): string {
  const parts: string[] = ["What the tools found:", ""];
  if (listing.isError) parts.push(`- Listing the folder failed: ${firstLine(textOf(listing))}`);
  else parts.push(`- ${describeNames(readListing(listing))}`);
  if (file !== undefined && reading?.isError) parts.push(`- Reading ${file} failed: ${firstLine(textOf(reading))}`);
  else if (file !== undefined && reading) parts.push(`- ${describeFile(file, textOf(reading))}`);
  parts.push("", `${introduction} ${howToGoOn}`);
  return parts.join("\n");
}

function describeNames({ names, total }: { names: string[]; total: number }): string {
  if (total > names.length) return `${total} entries, among them ${list(names)}.`;
  const folders = names.filter((name) => name.endsWith("/"));
  const files = names.filter((name) => !name.endsWith("/"));
  if (names.length === 0) return "The folder is empty.";
  return `${count(folders.length, "folder")} (${list(folders)}) and ${count(files.length, "file")} (${list(files)}).`;
}

function describeFile(file: string, text: string): string {
  if (file.endsWith(".json")) {
    const name = /"name":\s*"([^"]+)"/.exec(text)?.[1];
    const description = /"description":\s*"([^"]+)"/.exec(text)?.[1];
    if (name) return `${file} names the project ${name}${description ? `: ${description}` : "."}`;
  }
  const lines = text.split("\n").map((line) => line.trim());
  const title = lines.find((line) => /^#+ /.test(line))?.replace(/^#+ /, "");
  const sentence = lines.find((line) => /^[A-Za-z*_"'].{20,}/.test(line));
  if (title && sentence) return `${file} is titled "${title}" and begins: ${sentence}`;
  return `${file} begins: ${firstLine(text)}`;
}

function pickIntroduction(names: string[]): string | undefined {
  for (const pattern of introductions) {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name !== undefined) return name;
  }
  return undefined;
}

function resultsSinceLastPrompt({ messages }: Context): ToolResultMessage[] {
  const prompt = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(prompt + 1).filter((message) => message.role === "toolResult");
}

function textOf(result: ToolResultMessage): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim() ?? "(nothing)"
  );
}

function list(names: string[]): string {
  const shown = names.slice(0, maxNames).join(", ");
  return names.length > maxNames ? `${shown}, …` : shown || "none";
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
