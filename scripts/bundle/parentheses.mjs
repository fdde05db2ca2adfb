import { parseAst } from "rolldown/parseAst";

/**
 * Puts functions in parentheses. A declaration at the top of the module becomes a variable at its beginning, where nothing can have called it before.
 *
 * @param source - a module whose imports do not lead back to it.
 * @param offsets - where the functions begin.
 */
export function withParentheses(source, offsets) {
  const declarations = [];
  const edits = [];
  const body = parseAst(source).body;
  for (const node of nodesIn(body)) {
    if (!offsets.has(node.start)) continue;
    if (node.type === "FunctionDeclaration" && body.includes(node)) {
      declarations.push(node);
      edits.push({ start: node.start, end: node.end, text: "" });
    } else if (node.type === "FunctionExpression" || (node.type === "ArrowFunctionExpression" && !node.async)) {
      edits.push({ start: node.start, end: node.start, text: "(" }, { start: node.end, end: node.end, text: ")" });
    }
  }
  const asVariable = (node) => {
    const { id, start, end } = node;
    const inside = edits.filter((edit) => edit.start >= id.end && edit.end <= end);
    return `${id.name}=(${source.slice(start, id.start)}${splice(source, id.end, end, inside)})`;
  };
  const outside = edits.filter(
    ({ start, end, text }) => text === "" || !declarations.some((node) => node.start < start && end < node.end),
  );
  const variables = declarations.length > 0 ? `var ${declarations.map(asVariable).join(",\n")};\n` : "";
  return variables + splice(source, 0, source.length, outside);
}

function splice(source, from, to, edits) {
  let result = "";
  let position = from;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position, to);
}

/** All nodes below a node of the syntax tree, outer ones first. */
function* nodesIn(value) {
  if (value === null || typeof value !== "object") return;
  if (typeof value.type === "string") yield value;
  for (const child of Object.values(value)) yield* nodesIn(child);
}
