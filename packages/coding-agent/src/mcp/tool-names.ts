import { createHash } from "node:crypto";

/** All providers accept names of up to 64 letters, digits, `_` and `-`, beginning with a letter. Source: their tool references. */
const maxLength = 64;
const otherCharacters = /[^A-Za-z0-9_-]/g;
const hashLength = 8;

/** The name of a tool: that of its server in the settings, and its own. */
export interface QualifiedName {
  server: string;
  tool: string;
}

/**
 * Creates the names of the tools for models: `mcp__<server>__<tool>`, with `_` for characters that providers do not allow. Names that are too
 * long or not unique end with a hash, so that a name does not depend on the order of servers or tools.
 *
 * @returns A unique name for each tool, in the same order.
 */
export function nameTools(tools: readonly QualifiedName[]): string[] {
  const plain = tools.map(({ server, tool }) => `mcp__${server}__${tool}`.replace(otherCharacters, "_"));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    if (name.length <= maxLength && uses.get(name) === 1) return name;
    const { server, tool } = tools[index] as QualifiedName;
    const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, hashLength);
    return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`;
  });
}
