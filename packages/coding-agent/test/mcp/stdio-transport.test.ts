import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { processMark } from "../../src/exec/command-mark.ts";
import { StdioTransport } from "../../src/mcp/stdio-transport.ts";
import { useTempFolder } from "../exec/temp-folder.ts";

const folder = useTempFolder();

test("a message that cannot be written, because the server is ending, fails with the server's exit code and stderr", async () => {
  const closed = join(folder.path, "closed");
  const script = `exec 0<&-; echo cannot open the database >&2; touch closed; while [ ! -e go ]; do sleep 0.01; done; exit 3`;
  const transport = new StdioTransport({
    program: "/bin/sh",
    args: ["-c", script],
    ...{ cwd: folder.path, env: process.env, mark: processMark() },
  });
  await transport.start();
  await until("the server has closed its stdin", () => existsSync(closed));
  // The time that the server has to end does not pass.
  holdClock();
  const sent = transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const failure = expect(sent).rejects.toThrow("the server exited with code 3. The end of its stderr:\ncannot open the database");
  await writeFile(join(folder.path, "go"), "");
  await failure;
});
