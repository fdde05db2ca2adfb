import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { toModelMessages } from "../../src/conversation/messages.ts";
import { SessionError } from "../../src/errors.ts";
import { userMessage } from "../helpers/messages.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { files, readSession, sessionFixture, sessionText } from "./helpers.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");
const numRuns = process.env.PIKIT_LONG === "1" ? 20_000 : 400;

const sources = [
  readFileSync(sessionFixture("v3.jsonl")),
  readFileSync(sessionFixture("v2.jsonl")),
  Buffer.from(sessionText(["one", "zwei €😀", 'three "quoted" \\ \n', "four"])),
];

/** Where a damage begins, as a share of what it is done to. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

type Damage = (bytes: Buffer) => Buffer;

/** Ways to damage the bytes after the header. */
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ place, length: fc.integer({ min: 1, max: 300 }) }).map(({ place, length }) => (bytes: Buffer) => {
    const start = Math.floor(place * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)]);
  }),
  fc.record({ place, mask: fc.integer({ min: 1, max: 255 }) }).map(({ place, mask }) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const at = Math.floor(place * bytes.length);
    if (bytes.length > 0) copy[at] = (bytes[at] as number) ^ mask;
    return copy;
  }),
  fc.record({ place, garbage: fc.uint8Array({ maxLength: 40 }) }).map(({ place, garbage }) => (bytes: Buffer) => {
    const start = bytes.indexOf("\n", Math.floor(place * bytes.length)) + 1;
    return Buffer.concat([bytes.subarray(0, start), garbage, Buffer.from("\n"), bytes.subarray(start)]);
  }),
  place.map((place) => (bytes: Buffer) => bytes.subarray(0, Math.floor(place * bytes.length))),
);

const damagedSession = fc
  .record({ source: fc.constantFrom(...sources), damages: fc.array(damage, { minLength: 1, maxLength: 5 }) })
  .map(({ source, damages }) => {
    const headerEnd = source.indexOf("\n") + 1;
    const body = damages.reduce<Buffer>((bytes, act) => act(bytes), source.subarray(headerEnd));
    return { source, damaged: Buffer.concat([source.subarray(0, headerEnd), body]) };
  });

/** The ids of the lines of `source` that stand unharmed in `damaged`. */
function intactIds(source: Buffer, damaged: Buffer): string[] {
  const lines = (bytes: Buffer) => bytes.toString("latin1").split("\n").slice(1);
  const whole = new Set(lines(source).filter((line) => line !== ""));
  return lines(damaged)
    .filter((line) => whole.has(line))
    .map((line) => (JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as { id: string }).id);
}

test("SE-004 SE-006 whatever is cut, flipped or inserted, intact entries are there, the file is as it was, and what follows is stored", async () => {
  await fc.assert(
    fc.asyncProperty(damagedSession, async ({ source, damaged }) => {
      writeFileSync(path(), damaged);
      const wanted = intactIds(source, damaged);
      const loadedIds = readSession(path()).entries.map(({ id }) => id);
      expect(loadedIds.filter((id) => wanted.includes(id))).toEqual(expect.arrayContaining(wanted));

      const conversation = await Conversation.open(files, path());
      toModelMessages((await conversation.readContext()).messages);
      expect(readFileSync(path()).equals(damaged)).toBe(true);

      await conversation.appendMessage(userMessage("after"));
      await conversation.close();
      const after = readSession(path()).entries;
      expect(after.map(({ id }) => id)).toEqual([...loadedIds, conversation.leafId]);
    }),
    { numRuns },
  );
}, 600_000);

test("SE-007 with damage to the header too, a file loads or is refused, and is left as it was", () => {
  const damagedFile = fc
    .record({ source: fc.constantFrom(...sources), at: place, mask: fc.integer({ min: 1, max: 255 }) })
    .map(({ source, at, mask }) => {
      const copy = Buffer.from(source);
      const index = Math.floor(at * source.indexOf("\n"));
      copy[index] = (copy[index] as number) ^ mask;
      return { source, damaged: copy };
    });
  fc.assert(
    fc.property(damagedFile, ({ source, damaged }) => {
      writeFileSync(path(), damaged);
      try {
        const ids = readSession(path()).entries.map(({ id }) => id);
        expect(ids).toEqual(expect.arrayContaining(intactIds(source, damaged)));
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        expect(["not_a_session", "unsupported_version"]).toContain(error.code);
      }
      expect(readFileSync(path()).equals(damaged)).toBe(true);
    }),
    { numRuns },
  );
}, 600_000);
