import { Kind, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { commands } from "../../../src/protocol/commands.ts";
import { encodeLine } from "../../../src/protocol/jsonl.ts";

/** A line of input, without its LF, and what has to be answered. */
export interface HostileLine {
  bytes: Buffer;
  /** One signature a record, see `signatureOf`; empty for a line that is passed over. */
  answers: string[];
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What has to be right of a response, or of an `error` event: the id to the letter, the command, and whether it succeeded. */
export function signatureOf(record: { type: string; command?: unknown; success?: unknown }): string {
  if (record.type !== "response") return record.type;
  const id = "id" in record ? encodeLine(record.id).trimEnd() : "no id";
  return `${id} ${JSON.stringify(record.command)} ${record.success}`;
}

const refusedLine = ['no id "parse" false', "error"];
/** Reads, and commands that have nothing to stop. */
const harmless = [
  "abort",
  "abort_bash",
  "abort_retry",
  "get_available_thinking_levels",
  "get_branch_messages",
  "get_commands",
  "get_fork_messages",
  "get_last_assistant_text",
  "get_messages",
  "get_protocol_info",
  "get_session_stats",
];
const unknownTypes = [
  "",
  "Prompt",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "prompt\0",
  "prompt ",
  "\ud800",
  "x".repeat(9000),
];
const oddTypes = ["null", "5", "[]", '["abort"]', '{"type":"abort"}', "true", "1e999"];
const oddJson = [
  "null",
  "0",
  "-0",
  "1e308",
  "1e999",
  "12345678901234567890",
  "true",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"a\u2028b"',
  "[]",
  "{}",
  '{"__proto__":{"type":"abort"}}',
  '{"a":1,"a":2}',
  '{"constructor":{"prototype":{"x":1}}}',
];
const values: unknown[] = [null, true, -1, 0.5, 1e308, "", "x", "__proto__", [], [[]], [null], {}, { length: 1 }, { type: "text" }];
/** Only records whose answer would have an effect if a wrong field were taken for right. */
const fieldNames = Object.entries(commands).flatMap(([command, { params }]) =>
  Object.keys(params.properties).map((field) => [command, field] as const),
);

/** Makes lines that nobody should send; each kind comes about as often as the others. */
export class HostileLines {
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  next(): HostileLine {
    this.#count += 1;
    return this.#pick([
      () => this.#bytes(),
      () => this.#truncated(),
      () => this.#noObject(),
      () => this.#oddType(),
      () => this.#unknownType(),
      () => this.#wrongField(),
      () => this.#withoutFields(),
      () => this.#oddId(),
      () => this.#frame(),
    ])();
  }

  /** Bytes of any kind. They may be blank, and then are passed over; that they make an object would be a wonder. */
  #bytes(): HostileLine {
    const bytes = Buffer.from(Array.from({ length: this.#below(60) }, () => this.#below(256)).filter((byte) => byte !== 10));
    const isBlank = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).trim() === "";
    return { bytes, answers: isBlank ? [] : refusedLine };
  }

  #truncated(): HostileLine {
    const text = `{"id":${this.#id()},"type":"prompt","message":"\u2028 and \ud83d\ude00","images":[{"type":"image","data":"AAAA"}]}`;
    const bytes = Buffer.from(text);
    return { bytes: bytes.subarray(0, 1 + this.#below(bytes.length - 1)), answers: refusedLine };
  }

  #noObject(): HostileLine {
    const text = this.#pick(oddJson.filter((json) => !json.startsWith("{")));
    return { bytes: Buffer.from(`${" ".repeat(this.#below(3))}${text}\r`), answers: refusedLine };
  }

  #oddType(): HostileLine {
    const id = this.#id();
    const text = this.#pick([
      `{"id":${id}}`,
      `{"id":${id},"type":${this.#pick(oddTypes)}}`,
      `{"id":${id},"__proto__":{"type":"abort"}}`,
    ]);
    return this.#answered(text, id, "unknown", false);
  }

  #unknownType(): HostileLine {
    const id = this.#id();
    const type = this.#pick(unknownTypes);
    return this.#answered(`{"type":${JSON.stringify(type)},"id":0,"id":${id}}`, id, type, false);
  }

  /** A command with a field that is not what the table says. Not null for an optional one: that is as if it were absent. */
  #wrongField(): HostileLine {
    const [command, field] = this.#pick(fieldNames);
    const { params } = commands[command as keyof typeof commands];
    const schema = (params.properties as Record<string, TSchema>)[field] as TSchema;
    const isRequired = (params.required as string[] | undefined)?.includes(field) === true;
    const wrong = values.filter((value) => !Value.Check(schema, value) && (isRequired || value !== null));
    // A field that takes anything cannot be wrong.
    if (schema[Kind] === "Unknown" || wrong.length === 0) return this.#withoutFields();
    const value = JSON.stringify(this.#pick(wrong));
    const id = this.#id();
    const odd = `"__proto__":${this.#pick(oddJson)},"constructor":1`;
    const missing = isRequired && this.#random() < 0.3;
    return this.#answered(`{"id":${id},${odd},"type":"${command}"${missing ? "" : `,"${field}":${value}`}}`, id, command, false);
  }

  #withoutFields(): HostileLine {
    const id = this.#id();
    const command = this.#pick(harmless);
    return this.#answered(`{"type":"fly","message":${this.#pick(oddJson)},"type":"${command}","id":${id}}\r`, id, command, true);
  }

  /** Ids come back as JSON reads them, whatever they are. Without one, a refused prompt is told a second way. */
  #oddId(): HostileLine {
    if (this.#random() < 0.2) return { bytes: Buffer.from('{"type":"prompt"}'), answers: ['no id "prompt" false', "error"] };
    const depth = this.#random() < 0.002 ? 100_000 : this.#below(50);
    const id = `${"[".repeat(depth)}${this.#pick([this.#id(), '{"a":', "1"]).replace(/:$/, ":[]}")}${"]".repeat(depth)}`;
    return this.#answered(`{"id":${id},"type":"get_messages"}`, id, "get_messages", true);
  }

  /** Answers to what was never asked. */
  #frame(): HostileLine {
    const type = this.#pick(["extension_ui_response", "host_tool_result", "host_tool_update"]);
    const text = `{"type":"${type}","id":${this.#pick(oddJson)},"result":${this.#pick(oddJson)},"value":${this.#pick(oddJson)}}`;
    return { bytes: Buffer.from(text), answers: [] };
  }

  #answered(text: string, id: string, command: string, success: boolean): HostileLine {
    const idText = encodeLine(JSON.parse(id)).trimEnd();
    // Half of a surrogate pair becomes U+FFFD when it is written as UTF-8.
    return { bytes: Buffer.from(text), answers: [`${idText} ${JSON.stringify(command)} ${success}`] };
  }

  /** The text of an id that is in no other line. */
  #id(): string {
    return `[${this.#count},${this.#pick(oddJson)}]`;
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
