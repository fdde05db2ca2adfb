import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { built, cleanEnvironment, root, run, temporaryFolder } from "./helpers.ts";

// Whole programs are started here, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const runtimes = join(root, "tools/runtimes/node_modules");
/** Where the platform has no such package, the tests of that runtime are skipped by name. */
const binaries = {
  "Node 20.19": join(runtimes, "node20/bin/node"),
  "Node 22.19": join(runtimes, "node22/bin/node"),
  "Node 24": join(root, "node_modules/.bin/node"),
  "Node 26": join(runtimes, "node26/bin/node"),
};

describe.each(Object.entries(binaries))("the built CLI on %s", (_name, node) => {
  test.skipIf(!existsSync(node))("prints its version and nothing else", async () => {
    const folder = await temporaryFolder();
    const finished = await run(node, [built("coding-agent", "cli.js"), "--version"], {
      cwd: folder,
      env: cleanEnvironment(folder),
    });
    expect(finished).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
  });

  test.skipIf(!existsSync(node))("answers a prompt with the offline demo", async () => {
    const folder = await temporaryFolder({ "README.md": "# Lighthouse\n\nA lamp for ships.\n" });
    const args = [built("coding-agent", "cli.js"), "-p", "--model", "demo/tour", "--no-session", "Give me a tour of this folder."];
    const finished = await run(node, args, { cwd: folder, env: cleanEnvironment(folder) });
    expect(finished).toEqual({ code: 0, stdout: expect.stringContaining("demo"), stderr: "" });
  });
});

test.each(["18.20.4", "20.18.3"])("on Node %s the CLI says in one sentence which versions it needs", async (version) => {
  // What the first file of the CLI can see of an older Node: its version, and no module.enableCompileCache or process.getBuiltinModule.
  const preload = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
    Object.defineProperty(process, "version", { value: "v${version}" });
    delete require("node:module").enableCompileCache;
    delete process.getBuiltinModule;`;
  const folder = await temporaryFolder({ "old-node.cjs": preload });
  const args = ["--require", join(folder, "old-node.cjs"), built("coding-agent", "cli.js"), "--version"];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: folder, env: cleanEnvironment(folder) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toContain(version);
  expect(stderr).toContain("20.19");
});
