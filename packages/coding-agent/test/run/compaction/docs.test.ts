import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSettings } from "../../../src/config/read-settings.ts";
import { defaultCompactionSettings } from "../../../src/run/compaction/policy.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

test("the settings of docs/compaction.md can be read, and are the defaults", async () => {
  const page = await readFile(fileURLToPath(new URL("../../../../../docs/compaction.md", import.meta.url)), "utf8");
  const settings = /^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  await workspace.write("agent/settings.json", JSON.parse(settings));
  expect((await readSettings(`${workspace.agentDir}/settings.json`)).compaction).toEqual(defaultCompactionSettings);
});
