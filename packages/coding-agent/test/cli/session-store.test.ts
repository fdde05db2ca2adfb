import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findStoreAddress } from "../../src/cli/named-store.ts";
import { runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const named = "postgres://option/db";
const variable = "postgres://variable/db";

beforeEach(() => {
  vi.stubEnv("PI_SESSION_STORE", variable);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test.each<[Parameters<typeof findStoreAddress>[0], string | undefined]>([
  [{}, variable],
  [{ "session-store": named }, named],
  [{ "session-store": "" }, variable],
  [{ session: "0196" }, variable],
  [{ session: "./s.jsonl" }, undefined],
  [{ fork: "s.jsonl" }, undefined],
  [{ export: "/sessions/s.jsonl" }, undefined],
  [{ "session-dir": "sessions" }, undefined],
  [{ "no-session": true }, undefined],
  [{ "no-session": true, "session-store": named }, undefined],
])("with %j, sessions are stored in %s", (options, address) => {
  expect(findStoreAddress(options)).toBe(address);
});

test("an empty variable names no store", () => {
  vi.stubEnv("PI_SESSION_STORE", "");
  expect(findStoreAddress({})).toBeUndefined();
});

test.each([
  [["--session-dir", "sessions"], "--session-store and --session-dir exclude each other. Give one of them."],
  [["--session", "./s.jsonl"], "--session names a file, but --session-store another place of sessions. Give an id,"],
  [["--fork", "s.jsonl"], "--fork names a file, but"],
  [["--export", "s.jsonl"], "--export names a file, but"],
])("--session-store with %j is refused", async (args, message) => {
  const result = await runCli(workspace, ["-p", "--session-store", named, ...args, "Hi"]);
  expect(result).toMatchObject({ exitCode: 2, stdout: "" });
  expect(result.stderr).toContain(message);
});

test.each([
  [["-p", "Hi"]],
  [["--mode", "rpc"]],
  [["agent-rpc"]],
  [["sessions"]],
  [["sessions", "copy", named, "."]],
  [["--export", "0196"]],
])("with %j, a store whose package is not installed is one error, with the command that installs it", async (args) => {
  const result = await runCli(workspace, args, { env: { PI_SESSION_STORE: named } });
  expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  expect(result.stderr).toBe(
    `The session store ${named} needs the package @pikit/postgres, which is not installed. Run: npm install --prefix ${workspace.agentDir} @pikit/postgres\n`,
  );
});

test("doctor names a store whose package is not installed as a problem", async () => {
  const { stdout, exitCode } = await runCli(workspace, ["doctor", "--session-store", named]);
  expect(stdout).toMatch(/^✗ sessions +postgres:\/\/option\/db cannot be used: .* Run: npm install --prefix /m);
  expect(exitCode).toBe(1);
});
