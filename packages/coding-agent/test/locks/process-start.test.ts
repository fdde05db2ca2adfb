import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fromPs, lookUpProcess } from "../../src/locks/process-start.ts";
import { startWriter } from "../conversation/helpers.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");

describe("what tells a process from another of its pid", () => {
  test("is the same each time and different from another's; one that has ended is not running, also before it is collected", async () => {
    const other = startWriter(path(), "waits");
    await other.next();
    const own = lookUpProcess(process.pid);
    expect(own).toEqual({ isRunning: true, startTime: expect.stringMatching(/\d/) });
    expect(lookUpProcess(process.pid)).toEqual(own);
    expect(lookUpProcess(other.pid).startTime).not.toBe(own.startTime);
    // Where there is no /proc. It tells seconds only.
    expect(fromPs(process.pid)).toEqual({ isRunning: true, startTime: expect.stringMatching(/\d\d:\d\d:\d\d/) });
    expect(fromPs(process.pid)).toEqual(fromPs(process.pid));
    process.kill(other.pid, "SIGKILL");
    // Nothing has run yet that could collect it.
    while (lookUpProcess(other.pid).isRunning);
    expect(fromPs(other.pid)?.isRunning ?? false).toBe(false);
    await other.end();
    expect(lookUpProcess(other.pid)).toEqual({ isRunning: false, startTime: "" });
  });
});
