import { expect, test } from "vitest";
import { UsageError, type UsageErrorCode } from "../src/errors.ts";
import { openSession } from "./helpers/sessions.ts";
import { useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

test.each<[UsageErrorCode, 1 | 2]>([
  ["invalid_arguments", 2],
  ["no_prompt", 2],
  ["invalid_session_id", 2],
  ["unreadable_file", 1],
  ["unknown_model", 1],
  ["invalid_config", 1],
  ["config_unavailable", 1],
  ["package_failed", 1],
])("UsageError %s ends the command with %i", (code, exitCode) => {
  expect(new UsageError(code, "x")).toMatchObject({ name: "UsageError", code, exitCode, message: "x" });
});

test("programs tell by the code what was wrong", async () => {
  await expect(openSession(workspace, { model: "nope" })).rejects.toMatchObject({ code: "unknown_model" });
  await expect(openSession(workspace, { provider: "nope" })).rejects.toMatchObject({ code: "unknown_model" });
  await expect(openSession(workspace, { modelScope: ["nope*"] })).rejects.toMatchObject({ code: "unknown_model" });
  await workspace.write("agent/settings.json", { retry: 5 });
  await expect(openSession(workspace)).rejects.toMatchObject({ code: "invalid_config" });
  await workspace.write("agent/settings.json", "{");
  await expect(openSession(workspace)).rejects.toMatchObject({ code: "invalid_config" });
});
