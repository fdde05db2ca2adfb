import type { MessageAssembler, ToolCallBlock } from "../../assembler.ts";
import { isTooDeep, maxNesting } from "../../nesting.ts";

/** A delta of a tool call. A missing field may come in another delta, or never. */
export interface ToolCallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
}

interface PendingCall {
  id: string;
  name: string;
  /** The argument text so far. */
  text: string;
  block?: ToolCallBlock;
}

/** Assigns tool-call deltas to their calls, and opens each call as soon as its id and name are known. */
export class ToolCallReader {
  readonly #assembler: MessageAssembler;
  readonly #readName: (wireName: string) => string;
  /** In the order of arrival. */
  readonly #calls: PendingCall[] = [];
  readonly #byIndex = new Map<number, PendingCall>();

  /** @param readName - Converts a tool name on the wire to our tool name. */
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

  /** Opens the calls whose id or name never arrived, so that no output of the model is lost. The assembler ends them with the answer. */
  finish(): void {
    for (const call of this.#calls) {
      call.id ||= `call_${crypto.randomUUID().replaceAll("-", "")}`;
      if (!call.block) this.#open(call);
    }
  }

  /**
   * Finds the call of a delta. A new id together with a name is a new call, even under a known index: some servers give every call the
   * index 0. A new id without a name belongs to the known call: some gateways rewrite the id.
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
    // Calls may interleave, so the previous call ends here only if its arguments are complete.
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

/** Some servers send the arguments as an object instead of JSON text. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return isTooDeep(value) ? tooDeepText : JSON.stringify(value);
}

/** Replaces arguments that cannot be serialized; it is rejected as nested too deeply, like the original. */
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
