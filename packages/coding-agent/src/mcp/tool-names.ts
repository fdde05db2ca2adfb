import { createHash } from "node:crypto";

/** What every provider takes as a name: up to 64 of these, beginning with a letter. Source: their tool references. */
const maxLength = 64;
const otherCharacters = /[^A-Za-z0-9_-]/g;
const hashLength = 8;

/** A tool by the names that its server and the settings give. */
export interface QualifiedName {
  server: string;
  tool: string;
}

/**
 * The names under which models know the tools: `mcp__<server>__<tool>`, with `_` for what providers do not allow. Names that would be too
 * long, or that several tools would have, end in a hash instead; so a name does not depend on the order of servers or tools.
 *
 * @returns A name for each, in the same order, no two alike.
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
