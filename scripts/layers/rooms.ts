import type { PackageLayers } from "./order.ts";

export interface Room {
  /** Such as `tools/read`. */
  name: string;
  /** Its place in the order. Rooms with the same rank import nothing from each other. */
  rank: number;
}

/** The room of files that need none: it imports from every room, and every room from it. */
const free: Room = { name: "src", rank: Number.NaN };

/** The room of a file: the deepest listed folder, or the file itself; undefined when none is listed. */
export function findRoom({ folder, rooms, hasFreeFiles }: PackageLayers, path: string): Room | undefined {
  const inside = path.slice(`${folder}/src/`.length);
  if (rooms.length === 0) return free;
  const found = rooms
    .map((pattern, rank) => ({ pattern, rank, name: nameOf(pattern, inside) }))
    .filter((room) => room.name !== undefined)
    .sort((a, b) => depth(b.pattern) - depth(a.pattern) || Number(a.pattern.endsWith("*")) - Number(b.pattern.endsWith("*")))[0];
  if (found?.name !== undefined) return { name: found.name, rank: found.rank };
  return hasFreeFiles && !inside.includes("/") ? free : undefined;
}

/** Whether a path matches a pattern, in which `*` is any one name. */
export function matches(pattern: string, path: string): boolean {
  const names = path.split("/");
  const parts = pattern.split("/");
  return parts.length === names.length && parts.every((part, index) => part === "*" || part === names[index]);
}

/** The folder or file that matches a pattern and contains a path; undefined when none does. */
function nameOf(pattern: string, path: string): string | undefined {
  const names = path.split("/");
  const parts = pattern.split("/");
  // `x/*` is a folder of x, not a file in it.
  if (pattern.endsWith("*") && names.length === parts.length) return undefined;
  const name = names.slice(0, parts.length).join("/");
  return matches(pattern, name) ? name : undefined;
}

function depth(pattern: string): number {
  return pattern.split("/").length;
}
