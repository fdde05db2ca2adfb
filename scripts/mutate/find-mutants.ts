import { parseAst } from "rolldown/parseAst";

/** One small change of a source file that a test should notice. */
export interface Mutant {
  file: string;
  /** Of the changed text; counted from 1. */
  line: number;
  /** Offsets of the changed text, in characters. */
  start: number;
  end: number;
  before: string;
  after: string;
}

/** A node of the syntax tree, seen loosely. */
interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const swaps: Readonly<Record<string, string>> = {
  ...{ "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&", "??": "&&" },
};

/** Nodes of types that have an expression inside. All others of TypeScript's own have no effect at run time. */
const typedExpressions = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSInstantiationExpression"]);

/**
 * All mutants of a TypeScript source: conditions are negated, operators swapped, calls removed, bodies emptied, literals replaced, cases and
 * elements of arrays left out.
 *
 * @throws {Error} When the source cannot be parsed.
 */
export function findMutants(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const add = (start: number, end: number, after: string) => {
    const line = source.slice(0, start).split("\n").length;
    found.push({ file, line, start, end, before: source.slice(start, end), after });
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, (node) => mutate(node, source, add));
  return found;
}

/** The source with the change of a mutant in it. */
export function applyMutant(source: string, { start, end, after }: Mutant): string {
  return source.slice(0, start) + after + source.slice(end);
}

/** Calls `onNode` for each node that can have an effect at run time, parents first; where it returns false, not for those inside. */
function visit(node: Node, onNode: (node: Node) => boolean): void {
  if (node.type.startsWith("TS") && !typedExpressions.has(node.type)) return;
  if (!onNode(node)) return;
  for (const [field, value] of Object.entries(node)) {
    if (field === "typeAnnotation" || field === "returnType" || (field === "key" && node.computed !== true)) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, onNode);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value;
}

/** @returns Whether there may be mutants inside the node. */
function mutate(node: Node, source: string, add: (start: number, end: number, after: string) => void): boolean {
  const replace = ({ start, end }: Node, after: string) => add(start, end, after);
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "ThrowStatement": // a text for people, or a repetition of the condition before it
      return false;
    case "IfStatement":
    case "WhileStatement":
    case "ConditionalExpression":
      negate(node.test as Node, replace, textOf);
      return true;
    case "BinaryExpression":
    case "LogicalExpression":
      swapOperator(node, source, add);
      return true;
    case "ExpressionStatement":
      if (isCall(node.expression as Node)) replace(node, ";");
      return true;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      emptyBody(node.body as Node | null, replace);
      return true;
    case "SwitchCase":
      if (node.test) replace(node, "");
      return true;
    case "ArrayExpression":
      dropElements(node, replace);
      return true;
    case "Literal":
      replaceLiteral(node, replace);
      return false;
    default:
      return true;
  }
}

type Replace = (node: Node, after: string) => void;

function negate(test: Node, replace: Replace, textOf: (node: Node) => string): void {
  // Its operator is swapped.
  if (test.type !== "BinaryExpression") replace(test, `!(${textOf(test)})`);
}

function swapOperator(node: Node, source: string, add: (start: number, end: number, after: string) => void): void {
  const swap = swaps[String(node.operator)];
  const { end } = node.left as Node;
  const start = source.indexOf(String(node.operator), end);
  if (swap !== undefined && start >= end && start < (node.right as Node).start)
    add(start, start + String(node.operator).length, swap);
}

function isCall(expression: Node): boolean {
  const { type, argument, callee } = expression;
  if (type === "AwaitExpression" || (type === "UnaryExpression" && expression.operator === "void")) return isCall(argument as Node);
  return type === "CallExpression" && (callee as Node).type !== "Super";
}

function emptyBody(body: Node | null, replace: Replace): void {
  if (body?.type === "BlockStatement" && (body.body as Node[]).length > 0) replace(body, "{}");
}

function dropElements({ elements }: Node, replace: Replace): void {
  // `null` in place of an element keeps its commas; one that is spread becomes nothing.
  for (const element of elements as (Node | null)[]) {
    if (element) replace(element, element.type === "SpreadElement" ? "...[]" : "null");
  }
}

function replaceLiteral(node: Node, replace: Replace): void {
  const { value } = node;
  if (typeof value === "boolean") replace(node, String(!value));
  else if (typeof value === "number") replace(node, String(value + 1));
  else if (typeof value === "string") replace(node, value === "" ? '"mutated"' : '""');
}
