import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OutputSpool } from "../../src/exec/output-spool.ts";
import { useTempFolder } from "./temp-folder.ts";

// A name that somebody has guessed after all.
vi.mock("node:crypto", async (original) => ({
  ...(await original<typeof import("node:crypto")>()),
  randomBytes: (length: number) => Buffer.alloc(length, 0xab),
}));

const folder = useTempFolder();
const guessed = () => join(folder.path, `pi-bash-${"ab".repeat(12)}.log`);
beforeEach(() => {
  vi.stubEnv("TMPDIR", folder.path);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("SC-013 what somebody has put where the file is to be made is neither written to nor removed, and the result says so", async () => {
  const other = join(folder.path, "other");
  for (const plant of [() => symlink(other, guessed()), () => writeFile(guessed(), "mine")]) {
    await writeFile(other, "not yours");
    await plant();
    const spool = new OutputSpool({ maxBytes: 1_000_000, onDrain: () => undefined });
    spool.write(Buffer.from("output"));
    spool.spill();
    expect(await spool.finish(true)).toEqual({ error: expect.stringContaining("EEXIST") });
    expect(await readFile(other, "utf8")).toBe("not yours");
    expect(["not yours", "mine"]).toContain(await readFile(guessed(), "utf8"));
    await rm(guessed());
  }
});
