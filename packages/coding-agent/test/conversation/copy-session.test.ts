import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CopyPlace, copySession } from "../../src/conversation/copy-session.ts";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { sessionText } from "./helpers.ts";

const workspace = useWorkspace();

/** A folder of sessions. @param change - Replaces some of its functions. */
function place(
  name: string,
  change: (store: FileSessionStore) => Partial<CopyPlace> = () => ({}),
): CopyPlace & { store: FileSessionStore } {
  const store = new FileSessionStore(join(workspace.root, name));
  return {
    store,
    list: (filter) => store.list(filter),
    readLines: (ref) => store.readLines(ref),
    writeLines: (lines) => store.writeLines(lines),
    remove: (ref) => store.remove(ref),
    find: async (id) => (await store.list({ idPrefix: id })).find((info) => info.id === id)?.ref,
    ...change(store),
  };
}

async function storeSession(): Promise<{ ref: string; id: string }> {
  const [, header = ""] = /^(.*)\n/.exec(sessionText(["one", "two"])) ?? [];
  const { id } = JSON.parse(header) as { id: string };
  return { id, ref: await workspace.write(`from/2026_${id}.jsonl`, sessionText(["one", "two"])) };
}

test("a copy that differs from the original is removed, and the line is named", async () => {
  const session = await storeSession();
  const to = place("to", (store) => ({
    async writeLines(lines) {
      const ref = await store.writeLines(lines);
      appendFileSync(ref, '{"type":"custom","customType":"x","id":"by-another-program"}\n');
      return ref;
    },
  }));
  await expect(copySession({ from: place("from"), to, session })).rejects.toMatchObject({
    code: "write_failed",
    message: `The copy of the session ${session.id} differed from the original in line 4, and was removed. Copy it when no other program changes it.`,
  });
  expect(await to.store.list()).toEqual([]);
});

test("an original that grows during the copy is copied as it was at the beginning", async () => {
  const session = await storeSession();
  const to = place("to", (store) => ({
    async writeLines(lines) {
      const ref = await store.writeLines(lines);
      appendFileSync(session.ref, '{"type":"custom","customType":"x","id":"later"}\n');
      return ref;
    },
  }));
  const from = place("from");
  const copy = await copySession({ from, to, session });
  expect(copy).toMatchObject({ entries: 2, isPresent: false });
  // Now it is another session than the original.
  await expect(copySession({ from, to, session })).rejects.toMatchObject({ message: expect.stringContaining("in line 4") });
  expect(await to.store.list()).toHaveLength(1);
});
