import type { MessageAssembler, ToolCallBlock } from "../../assembler.ts";
import { isTooDeep, maxNesting } from "../../nesting.ts";

/** A piece of a tool call as servers send it; what is absent here came earlier, comes later, or never. */
export interface ToolCallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
}

interface PendingCall {
  id: string;
  name: string;
  /** Argument text so far; the block has all of it once it is open. */
  text: string;
  block?: ToolCallBlock;
}

/**
 * Sorts the pieces of tool calls that arrive under one index or another, and opens each call as soon as its id and name are known.
 */
export class ToolCallReader {
  readonly #assembler: MessageAssembler;
  readonly #readName: (wireName: string) => string;
  /** In the order of arrival. */
  readonly #calls: PendingCall[] = [];
  readonly #byIndex = new Map<number, PendingCall>();

  /** @param readName - Turns the wire's tool names into ours. */
  constructor(assembler: MessageAssembler, readName: (wireName: string) => string) {
    this.#assembler = assembler;
    this.#readName = readName;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  read(delta: ToolCallDelta): void {
    const id = delta.id ?? "";
    const name = delta.function?.name ?? "";
    const call = this.#find(delta.index, id, name) ?? this.#add(delta.index);
    call.id ||= id;
    call.name ||= name;
    this.#append(call, argumentText(delta.function?.arguments));
  }

  /** Opens calls whose id or name never came, so that nothing the model said is lost. The assembler ends them with the answer. */
  finish(): void {
    for (const call of this.#calls) {
      call.id ||= `call_${crypto.randomUUID().replaceAll("-", "")}`;
      if (!call.block) this.#open(call);
    }
  }

  /**
   * The call that a piece belongs to. A new id together with a name is a new call, even under a used index: some servers count every
   * call as 0. A new id alone is a gateway's rewriting of the same call.
   */
  #find(index: number | null | undefined, id: string, name: string): PendingCall | undefined {
    const known = typeof index === "number" ? this.#byIndex.get(index) : this.#findWithoutIndex(id, name);
    const isNewCall = known !== undefined && name !== "" && id !== "" && known.id !== "" && id !== known.id;
    return isNewCall ? undefined : known;
  }

  #findWithoutIndex(id: string, name: string): PendingCall | undefined {
    if (id !== "") return this.#calls.findLast((call) => call.id === id);
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  #add(index: number | null | undefined): PendingCall {
    // Calls may interleave, so the one before is over only if nothing could follow what it has.
    const previous = this.#calls.at(-1);
    if (previous && isCompleteObject(previous)) previous.block?.end();
    const call: PendingCall = { id: "", name: "", text: "" };
    this.#calls.push(call);
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }

  #append(call: PendingCall, text: string): void {
    call.text += text;
    if (call.block) call.block.append(text);
    else if (call.id !== "" && call.name !== "") this.#open(call);
  }

  #open(call: PendingCall): void {
    call.block = this.#assembler.openToolCall({ id: call.id, name: this.#readName(call.name) });
    call.block.append(call.text);
  }
}

/** Some servers send the arguments as the object that they should be the text of. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return isTooDeep(value) ? tooDeepText : JSON.stringify(value);
}

/** Is refused as what it stands for. */
const tooDeepText = "[".repeat(maxNesting + 1) + "]".repeat(maxNesting + 1);

function isCompleteObject({ text }: PendingCall): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the end of an inner object
  }
}
