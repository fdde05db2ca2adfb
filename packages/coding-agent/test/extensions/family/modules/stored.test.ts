import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AuthStorage } from "../../../../src/extensions/family/modules/auth-storage.ts";
import { SettingsManager } from "../../../../src/extensions/family/modules/settings.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
afterEach(() => void vi.unstubAllEnvs());
const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

/** The methods for single settings are made of a table, which types do not see. */
type Methods = SettingsManager & Record<string, (value?: unknown) => unknown>;

describe("SettingsManager", () => {
  test("reads the user's and the project's settings, writes to the user's, and keeps what it does not know", async () => {
    const file = await workspace.write("agent/settings.json", {
      defaultModel: "a",
      retry: { enabled: false, extra: 1 },
      unknown: [1],
    });
    await workspace.write("work/.pi/settings.json", { defaultModel: "b" });
    const settings = SettingsManager.create(workspace.cwd, workspace.agentDir) as Methods;
    expect([settings.getDefaultModel?.(), settings.getRetryEnabled?.(), settings.getSteeringMode?.()]).toEqual([
      "b",
      false,
      "one-at-a-time",
    ]);
    settings.setRetryEnabled?.(true);
    settings.setDefaultProvider?.("house");
    settings.setDefaultModel?.(undefined);
    await settings.flush();
    expect(await readJson(file)).toEqual({ retry: { enabled: true, extra: 1 }, unknown: [1], defaultProvider: "house" });
    expect(settings.getRetrySettings()).toEqual({ enabled: true, maxRetries: 3, baseDelayMs: 2000 });
    settings.setProjectTrusted(false);
    expect(settings.getDefaultModel?.()).toBeUndefined();
  });

  test("a file that is not JSON is an error to be asked for, and is not written over", async () => {
    const file = await workspace.write("agent/settings.json", "{ broken");
    const settings = SettingsManager.create(workspace.cwd, workspace.agentDir) as Methods;
    settings.setDefaultModel?.("x");
    await settings.flush();
    expect(settings.drainErrors().map(({ scope }) => scope)).toEqual(["global", "global"]);
    expect(await readFile(file, "utf8")).toBe("{ broken");
  });

  test("in memory", () => {
    const settings = SettingsManager.inMemory({ compaction: { enabled: false } });
    expect(settings.getCompactionSettings()).toEqual({ enabled: false, reserveTokens: 16_384, keepRecentTokens: 20_000 });
    settings.applyOverrides({ compaction: { enabled: true } });
    expect(settings.getCompactionSettings()).toMatchObject({ enabled: true });
  });
});

describe("AuthStorage", () => {
  test("finds keys in the order of precedence, and stores them in the file", async () => {
    const file = await workspace.write("agent/auth.json", { openai: { type: "api_key", key: "stored" }, other: { type: "oauth" } });
    vi.stubEnv("ANTHROPIC_API_KEY", "of the environment");
    const auth = AuthStorage.create(file);
    expect(await auth.getApiKey("openai")).toBe("stored");
    expect(await auth.getApiKey("anthropic")).toBe("of the environment");
    expect(auth.getAuthStatus("anthropic")).toEqual({ configured: true, source: "environment", label: "ANTHROPIC_API_KEY" });
    auth.setRuntimeApiKey("openai", "of this run");
    expect(await auth.getApiKey("openai")).toBe("of this run");
    auth.setFallbackResolver((provider) => (provider === "house" ? "fallback" : undefined));
    expect([await auth.getApiKey("house"), await auth.getApiKey("nobody")]).toEqual(["fallback", undefined]);
    auth.set("groq", { type: "api_key", key: "new" });
    auth.remove("openai");
    await auth.flush();
    expect(await readJson(join(workspace.agentDir, "auth.json"))).toEqual({
      other: { type: "oauth" },
      groq: { type: "api_key", key: "new" },
    });
    expect([auth.list(), auth.drainErrors()]).toEqual([["other", "groq"], []]);
  });
});
