import { testsOf } from "../../scripts/vitest-project.ts";

/** Files that no other file may share a process with. */
export const ownProcess = [
  // They replace a module for all that import it.
  "test/exec/output-spool.test.ts",
  "test/mcp/late-failure.test.ts",
  "test/modes/rpc/host-tool-order.test.ts",
  "test/modes/serve/http/token-in-time.test.ts",
  // They watch the memory, the open files, the signals, the timers or the runs of the process.
  "test/cli/end-process.test.ts",
  "test/conversation/{bodies,stats}.test.ts",
  "test/exec/{kill,streams,watchdog}.test.ts",
  "test/modes/record-writer.test.ts",
  "test/odd-files.test.ts",
  "test/process-work.test.ts",
  "test/tools/read/read.test.ts",
];

export default testsOf("@pikit/coding-agent, own process", { include: ownProcess, isolate: true });
