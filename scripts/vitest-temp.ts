import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives a test run a temporary folder of its own and removes it at the end, with everything that killed programs have left in it. Called by
 * vitest once, before it starts its workers, which inherit the environment.
 */
export default function useOwnTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "pikit-tests-"));
  // As /tmp: tests that root runs become another user for a while.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  // A program that is just ending may still write there.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
