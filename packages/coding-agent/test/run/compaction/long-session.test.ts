import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../../src/conversation/file-store.ts";
import { openConversation } from "../../../src/conversation/open-session.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import type { LongSessionReport } from "./long-session.ts";

const isLong = process.env.PIKIT_LONG === "1";
/** Each has two and a half turns on average. */
const prompts = isLong ? 3000 : 120;

const workspace = useWorkspace();

test(`CP-007 a session of ${prompts} prompts goes through compactions with a context and a memory that do not grow`, async () => {
  const program = fileURLToPath(new URL("long-session.ts", import.meta.url));
  const flags = ["--expose-gc", "--max-semi-space-size=1", "--conditions=pikit-source"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, program, workspace.cwd, workspace.agentDir, String(prompts)],
    {
      maxBuffer: 2 ** 26,
    },
  );
  const { sessionFile, heap, context, ...report }: LongSessionReport = JSON.parse(stdout);
  if (isLong)
    console.log(`${report.compactions} compactions; heap in MB: ${heap.map((bytes) => (bytes / 1e6).toFixed(1)).join(" ")}`);
  expect(report.surprises).toEqual([]);
  expect(report.overflows).toBe(0);
  expect(report.compactions).toBeGreaterThan(prompts / 20);
  // Four characters a token: no request comes near the end of the window of 32,000.
  expect(report.mostCharacters).toBeLessThan(4 * 28_000);

  const entries = (await readFile(sessionFile, "utf8")).split("\n").filter(Boolean).slice(1);
  const compactions = entries.map((line) => JSON.parse(line)).filter(({ type }) => type === "compaction");
  expect(compactions).toHaveLength(report.compactions);
  expect(compactions.at(-1).details.readFiles.length).toBeGreaterThan(30);

  const reopened = await openConversation(new FileSessionStore(dirname(sessionFile)), sessionFile);
  const stored = await reopened.readContext();
  await reopened.close();
  expect(stored.messages.map((message) => ({ ...message, timestamp: 0 }))).toEqual(
    context.map((message) => ({ ...message, timestamp: 0 })),
  );

  // All entries together have many times the size of what stays: their places in the tree, and the context.
  const half = heap.slice(heap.length / 2);
  const bytesOfEntries = entries.slice(entries.length / 2).join("").length;
  expect((half.at(-1) as number) - (half[0] as number)).toBeLessThan(Math.max(0.15 * bytesOfEntries, 2e6));
});
