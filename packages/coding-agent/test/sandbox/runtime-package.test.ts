import { SandboxManager, SandboxRuntimeConfigSchema } from "@anthropic-ai/sandbox-runtime";
import { expect, onTestFinished, test } from "vitest";
import type { SandboxPlaces } from "../../src/sandbox/places.ts";
import { RuntimePackage, toConfig } from "../../src/sandbox/runtime-package.ts";

const places: SandboxPlaces = {
  ...{ folder: "/work/project", temporary: "/tmp/own/tmp", writable: ["/work/project", "/work/more"] },
  ...{ hidden: ["/home/a/.ssh", "/home/a/.pi/agent"], readable: ["/home/a/.pi/agent/skills"] },
  ...{ fixed: ["/work/project/.git/config", "/work/project/.git/hooks"], held: ["/work/project/.git"] },
  ...{ missing: ["/work/project/.pi"], forbidden: ["/work/project/.git/commondir"] },
};

test("what a sandbox allows is handed to the package of domains and of macOS", () => {
  expect(toConfig(places, { domains: ["*.npmjs.org"] })).toEqual({
    network: { allowedDomains: ["*.npmjs.org"], deniedDomains: [], allowLocalBinding: false },
    filesystem: {
      denyRead: ["/home/a/.ssh", "/home/a/.pi/agent"],
      allowRead: ["/home/a/.pi/agent/skills"],
      allowWrite: ["/work/project", "/work/more", "/tmp/own/tmp"],
      denyWrite: ["/work/project/.git/config", "/work/project/.git/hooks", "/work/project/.pi", "/work/project/.git/commondir"],
    },
  });
});

test("the package accepts it", () => {
  const config = toConfig(places, { domains: ["*.npmjs.org", "example.com"] });
  expect(SandboxRuntimeConfigSchema.parse(config)).toEqual(config);
});

test("the network cannot be open through the package, and other domains need another process", async () => {
  const open = (options: { domains: string[]; hasNetwork: boolean }) => RuntimePackage.open({ agentDir: "/nowhere", ...options });
  await expect(open({ domains: [], hasNetwork: true })).rejects.toThrow("the network can be off, or a list of domains");
});

// On another system the package writes the profile of macOS all the same. It is not run here.
test("on macOS, the profile has the folders of the sandbox, and the command its temporary folder", async () => {
  const { platform } = process;
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  Object.defineProperty(process, "platform", { value: "darwin" });
  onTestFinished(async () => {
    Object.defineProperty(process, "platform", { value: platform });
    await SandboxManager.reset();
    // The package leaves its listeners.
    for (const [index, signal] of signals.entries()) {
      for (const listener of process.listeners(signal)) if (!before[index]?.includes(listener)) process.off(signal, listener);
    }
  });
  const options = { agentDir: "/nowhere", domains: ["example.com"], hasNetwork: false };
  const runtime = await RuntimePackage.open(options);
  await expect(RuntimePackage.open({ ...options, domains: ["another.com"] })).rejects.toThrow("another list of domains");
  const start = { command: ["/bin/sh", "-c", "echo 'it works'"] as const, cwd: "/work/project", env: { HOME: "/home/a" } };
  const { command } = await runtime.enter(start, places);
  const [shell, option, text = ""] = command;
  expect([shell, option]).toEqual(["/bin/bash", "-c"]);
  expect(text).toContain("sandbox-exec -p");
  const part = (name: string) => text.split(`(${name}`).slice(1).join();
  expect(part("deny file-read*")).toContain('"/home/a/.ssh"');
  expect(part("deny file-write*")).toContain('"/work/project/.git/hooks"');
  expect(part("deny file-write*")).toContain('"/work/project/.pi"');
  expect(part("allow file-write*")).toContain('"/tmp/own/tmp"');
  expect(text).toContain("TMPDIR=");
  expect(text).toContain("it works");
});
