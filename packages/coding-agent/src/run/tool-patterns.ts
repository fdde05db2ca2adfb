import type { AgentTool, CompilePattern } from "@pikit/agent";
import type { RE2JS } from "re2js";

type Engine = typeof RE2JS;

/** Maximum characters of one pattern. */
const maxLength = 1000;
/** Maximum estimated instructions of a compiled pattern, with its counted repetitions. Each takes 2 µs to create. */
const maxExpansion = 50_000;
/** The same, for all patterns of a tool. */
const maxTotalExpansion = 250_000;
/** Maximum characters of a pattern in a message. */
const maxShown = 80;

/** The meaning of `\s` and `.` in JSON Schema, which uses the regular expressions of JavaScript. */
const space = "\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const anyCharacter = "[^\\n\\r\\x{2028}\\x{2029}]";
const tokens = /\\.|\[\^?|[\].]/gsu;

/**
 * Compiles the regular expressions in the schemas of tools. They come from MCP servers, hosts and extensions, so they run in an engine
 * with linear time. A pattern that the engine does not support is not checked; this is reported once for each tool.
 */
export class ToolPatterns {
  readonly #report: (problem: string) => void;
  readonly #reported = new Set<string>();

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  async forTool({ name }: AgentTool): Promise<CompilePattern> {
    const { RE2JS } = await import("re2js");
    let expansion = 0;
    return (source) => {
      try {
        expansion += expansionOf(source);
        if (expansion > maxTotalExpansion) throw new Error("the patterns of the schema are too long together");
        return compile(RE2JS, source);
      } catch (error) {
        this.#tell(name, source, error as Error);
        return undefined;
      }
    };
  }

  #tell(tool: string, source: string, { message }: Error): void {
    if (this.#reported.has(tool)) return;
    this.#reported.add(tool);
    const shown = source.length > maxShown ? `${source.slice(0, maxShown)}…` : source;
    const reason = message.replace(/^error parsing regexp: /, "");
    this.#report(`The pattern "${shown}" in the schema of the tool ${tool} is not checked: ${reason}. The tool can still be used.`);
  }
}

/** The estimated instructions of a compiled pattern. Throws if the pattern is too long, or has too many. */
function expansionOf(source: string): number {
  if (source.length > maxLength) throw new Error(`it has more than ${maxLength} characters`);
  let repetitions = 1;
  for (const { 1: least, 2: most } of source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g))
    repetitions += Math.max(Number(least), Number(most ?? 0));
  if (repetitions * source.length > maxExpansion) throw new Error("it has too many repetitions");
  return repetitions * source.length;
}

function compile(engine: Engine, source: string): ReturnType<CompilePattern> {
  const pattern = engine.compile(engine.translateRegExp(toEngine(source)));
  return { test: (text) => pattern.test(text), stepsPerCharacter: pattern.programSize() };
}

/** Replaces the tokens that have another meaning in the engine. */
function toEngine(source: string): string {
  let isInClass = false;
  return source.replace(tokens, (token) => {
    if (token === "\\s") return isInClass ? space : `[${space}]`;
    if (token === "\\S" && !isInClass) return `[^${space}]`;
    if (token === "." && !isInClass) return anyCharacter;
    if (token.startsWith("[")) isInClass = true;
    else if (token === "]") isInClass = false;
    return token;
  });
}
