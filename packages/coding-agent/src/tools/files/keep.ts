import type { FileKeeper } from "./file-access.ts";

/** The change of a file by a tool, and what keeps its content before. */
type KeptChange = Parameters<FileKeeper["keep"]>[0] & { keeper: FileKeeper | undefined };

/** Replaces a file, after its content was kept. */
export async function replaceKept<T>({ keeper, ...change }: KeptChange, replace: () => Promise<T>): Promise<T> {
  if (!keeper) return replace();
  const kept = await keeper.keep(change);
  try {
    return await replace();
  } catch (error) {
    await kept.discard();
    throw error;
  }
}
