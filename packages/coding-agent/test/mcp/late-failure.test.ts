import { createScriptedModel } from "@pikit/ai";
import { expect, test, vi } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { fixtureServer } from "./helpers.ts";

// No settings make them fail; a broken installation does.
vi.mock("../../src/mcp/mcp-servers.ts", () => ({
  McpServers: class {
    constructor() {
      throw new Error("no MCP servers here");
    }
  },
}));

const workspace = useWorkspace();

test("a session that cannot be made because of its MCP servers ends the extensions that it has begun, and its file can be opened", async () => {
  const told: string[] = [];
  const extension: ExtensionFactory = (pi) => {
    told.push("begun");
    pi.on("shutdown", () => void told.push("ended"));
  };
  const { session } = await createScriptedSession(workspace, [{ text: "Hello" }], { session: { id: "mine" } });
  await session.prompt("Hi");
  await session.dispose();
  await workspace.write("agent/settings.json", { mcpServers: { files: fixtureServer() } });
  const model = createScriptedModel({ script: [] });
  const failing = openSession(workspace, { model, session: { id: "mine" }, extensions: [extension] });
  await expect(failing).rejects.toThrow("no MCP servers here");
  expect(told).toEqual(["begun", "ended"]);
  const { session: again } = await openSession(workspace, { model, session: { id: "mine" }, mcp: false });
  expect(again.messages).toHaveLength(2);
});
