import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A fresh folder for each test of the file: `folder.path`, with links followed. */
export function useTempFolder(): { path: string } {
  const folder = { path: "" };
  beforeEach(async () => {
    folder.path = await realpath(await mkdtemp(join(tmpdir(), "pikit-test-")));
  });
  afterEach(async () => {
    await rm(folder.path, { recursive: true, force: true });
  });
  return folder;
}
