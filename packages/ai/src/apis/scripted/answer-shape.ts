/** The valid values at one place in a script file. */
interface Shape {
  /** Names that `typeOf` returns. */
  types: readonly string[];
  isRequired?: boolean;
  /** The minimum of a number, or the minimum length of a text in characters. */
  min?: number;
  /** The shape of each item of an array. */
  items?: Shape;
  /** The fields of an object; other fields are errors. Without it any field is valid. */
  fields?: Readonly<Record<string, Shape>>;
}

const text: Shape = { types: ["string"] };
const count: Shape = { types: ["number"], min: 0 };

const answer: Shape = {
  types: ["object"],
  fields: {
    text,
    thinking: text,
    toolCalls: {
      types: ["array"],
      items: {
        types: ["object"],
        fields: { name: { ...text, isRequired: true, min: 1 }, arguments: { types: ["object"] }, id: { ...text, min: 1 } },
      },
    },
    deltas: { types: ["number", "array"], min: 1, items: text },
    delayMs: count,
    error: { types: ["object"], fields: { status: { types: ["number"], min: 400 }, message: { ...text, isRequired: true } } },
    usage: { types: ["object"], fields: { input: count, output: count, cacheRead: count, cacheWrite: count } },
  },
};

/** Describes the problem of an answer in a script file, to be put after its file and line; undefined when the answer is valid. */
export function findAnswerProblem(value: unknown): string | undefined {
  return findProblem(value, answer, "");
}

function findProblem(value: unknown, shape: Shape, path: string): string | undefined {
  const type = typeOf(value);
  const what = path === "" ? " must be" : `: "${path}" must be`;
  if (!shape.types.includes(type)) {
    const expected = path === "" ? "a JSON object" : shape.types.join(" or ");
    return `${what} ${expected}, but is ${type}.`;
  }
  if (shape.min !== undefined && typeof value === "number" && !(value >= shape.min)) {
    return `${what} at least ${shape.min}, but is ${value}.`;
  }
  if (shape.min !== undefined && value === "") return `: "${path}" must not be empty.`;
  if (Array.isArray(value)) return findItemProblem(value, shape, path);
  return type === "object" && shape.fields ? findFieldProblem(value as object, shape.fields, path) : undefined;
}

function findItemProblem(values: unknown[], { items }: Shape, path: string): string | undefined {
  for (const [index, item] of values.entries()) {
    const problem = items && findProblem(item, items, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findFieldProblem(value: object, fields: Readonly<Record<string, Shape>>, path: string): string | undefined {
  const at = (field: string) => (path === "" ? field : `${path}.${field}`);
  for (const [field, content] of Object.entries(value)) {
    const shape = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!shape) return ` has the unknown field "${at(field)}". Known fields are ${Object.keys(fields).map(at).join(", ")}.`;
    const problem = findProblem(content, shape, at(field));
    if (problem !== undefined) return problem;
  }
  const missing = Object.keys(fields).find((field) => fields[field]?.isRequired && !Object.hasOwn(value, field));
  return missing === undefined ? undefined : `: "${at(missing)}" is missing.`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
