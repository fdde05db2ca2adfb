import { parseArgs } from "node:util";
import { UsageError } from "../errors.ts";
import { checkRecord, type Direction } from "../protocol/check-record.ts";
import { rpcSchema } from "../protocol/json-schema.ts";
import { LineDecoder } from "../protocol/jsonl.ts";

const usage = `Usage: pi rpc schema [--protocol rpc|agent-chat]
       pi rpc validate [--direction in|out] < trace.jsonl`;

/**
 * Runs `pi rpc schema` or `pi rpc validate`.
 *
 * @param args - The arguments after `rpc`.
 * @returns The exit code.
 * @throws {UsageError} For another subcommand.
 */
export async function runRpcCommand([command, ...args]: readonly string[]): Promise<number> {
  if (command === "schema") return printSchema(readOption(args, "protocol", ["rpc", "agent-chat"]) ?? "rpc");
  if (command === "validate") return validate(process.stdin, readOption(args, "direction", ["in", "out"]));
  if (command === "--help" || command === "-h") return print(usage);
  if (command === undefined) throw new UsageError("invalid_arguments", usage);
  const words = ["schema", "validate"];
  throw new UsageError("invalid_arguments", `${usage}\nThere is no "pi rpc ${command}".`, { typed: command, words });
}

function readOption<const T extends string>(args: readonly string[], name: string, choices: readonly T[]): T | undefined {
  let value: string | undefined;
  try {
    value = parseArgs({ args: [...args], options: { [name]: { type: "string" } } }).values[name] as string | undefined;
  } catch (error) {
    throw new UsageError("invalid_arguments", `${(error as Error).message.split("\n")[0]}\n${usage}`);
  }
  if (value === undefined || choices.includes(value as T)) return value as T | undefined;
  throw new UsageError("invalid_arguments", `--${name} is "${value}": expected ${choices.join(" or ")}.`, {
    typed: value,
    words: choices,
  });
}

async function printSchema(protocol: "rpc" | "agent-chat"): Promise<number> {
  const schema = protocol === "rpc" ? rpcSchema() : (await import("../modes/agent-chat/protocol.ts")).agentChatSchema();
  return print(JSON.stringify(schema, null, 2));
}

/** Prints the problem of each invalid line. The exit code is 1 if there is one. */
async function validate(input: AsyncIterable<Uint8Array>, direction: Direction | undefined): Promise<number> {
  let lineNumber = 1;
  let wrongCount = 0;
  const report = (problem: string | undefined) => {
    if (problem === undefined) return;
    wrongCount += 1;
    print(`line ${lineNumber}: ${problem}`);
  };
  for await (const line of readLines(input)) {
    lineNumber = line.number;
    report(line.text === undefined ? "Longer than 64 Mi characters" : await checkLine(line.text, direction));
  }
  return wrongCount > 0 ? 1 : 0;
}

async function checkLine(line: string, direction: Direction | undefined): Promise<string | undefined> {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    return `Not valid JSON: ${(error as Error).message}`;
  }
  return checkRecord(record, direction);
}

interface NumberedLine {
  /** From 1, including blank lines. */
  number: number;
  /** undefined if the line is too long. */
  text: string | undefined;
}

async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedLine> {
  let number = 1;
  let found: NumberedLine[] = [];
  const decoder = new LineDecoder({
    onLine: (text) => found.push({ number, text }),
    onTooLong: () => found.push({ number, text: undefined }),
  });
  for await (const chunk of input) {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, start);
      decoder.push(chunk.subarray(start, end < 0 ? undefined : end + 1));
      if (end >= 0) number += 1;
      start = end < 0 ? chunk.length : end + 1;
    }
    yield* found;
    found = [];
  }
  decoder.end();
  yield* found;
}

const lineFeed = 10;

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
