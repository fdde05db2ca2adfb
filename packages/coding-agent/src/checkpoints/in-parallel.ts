/** Number of files that are looked at at the same time. */
const maxParallel = 16;

/** Calls `work` with each item, some at the same time. Returns the results in the order of the items. Rejects with the first error. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, worker));
  return results;
}
