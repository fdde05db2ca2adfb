import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loadPackages, type PackageResources } from "../../src/packages/load-packages.ts";
import { type RpcProcess, startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const command = (name: string) => `export default (pi) => pi.registerCommand("${name}", { async handler() {} });`;

beforeEach(async () => {
  await workspace.write("tools/extensions/one.js", command("one"));
  await workspace.write("tools/extensions/two.js", command("two"));
  await workspace.write("tools/skills/search/SKILL.md", "---\nname: search\ndescription: Searches.\n---\nSearch.");
  await workspace.write("tools/prompts/review.md", "Review.");
  await workspace.write("tools/themes/dark.json", {});
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function load(options: Partial<Parameters<typeof loadPackages>[0]>) {
  const problems: string[] = [];
  const found = await loadPackages({
    ...{ agentDir: workspace.agentDir, cwd: workspace.cwd, named: [], given: [], offline: true },
    report: (problem) => problems.push(problem),
    ...options,
  });
  return { found, problems };
}

/** The names of the files, by kind. */
function names(found: PackageResources): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(found).map(([kind, files]) => [kind, files.map(({ path }) => path.split("/tools/")[1] ?? path)]),
  );
}

const user = "user" as const;
const project = "project" as const;
const everything = {
  extensions: ["extensions/one.js", "extensions/two.js"],
  skills: ["skills/search/SKILL.md"],
  prompts: ["prompts/review.md"],
  themes: ["themes/dark.json"],
};

describe("the resources of packages", () => {
  test("each file has its scope and its package; a path is relative to the settings that name it", async () => {
    const { found, problems } = await load({ named: [{ entry: "../tools", location: user }] });
    expect(problems).toEqual([]);
    expect(names(found)).toEqual(everything);
    const baseDir = join(workspace.root, "tools");
    const path = join(baseDir, "prompts/review.md");
    expect(found.prompts).toEqual([{ path, location: user, package: { source: "../tools", baseDir } }]);
  });

  test("filters choose from a package", async () => {
    const entry = {
      source: "../tools",
      extensions: ["extensions/*.js", "!**/two.js"],
      skills: [],
      prompts: ["-prompts/review.md"],
    };
    const { found } = await load({ named: [{ entry, location: user }] });
    expect(names(found)).toEqual({ ...everything, extensions: ["extensions/one.js"], skills: [], prompts: [] });
  });

  test("the project's entry of the same package replaces the user's; with autoload: false it changes it", async () => {
    const named = [{ entry: { source: "../tools", extensions: ["extensions/one.js"], prompts: [] }, location: user }];
    const other = { source: "../../tools", skills: [] };
    const replaced = await load({ named: [...named, { entry: other, location: project }] });
    expect(names(replaced.found)).toEqual({ ...everything, skills: [] });
    expect(replaced.found.themes[0]?.location).toBe(project);
    const change = {
      ...other,
      autoload: false,
      extensions: ["+extensions/two.js", "-extensions/one.js"],
      prompts: ["review.md"],
      skills: ["!*"],
    };
    const changed = await load({ named: [...named, { entry: change, location: project }] });
    expect(names(changed.found)).toEqual({ ...everything, extensions: ["extensions/two.js"], skills: [] });
    expect(changed.found.themes[0]?.location).toBe(user);
    const alone = await load({ named: [{ entry: change, location: project }] });
    expect(names(alone.found)).toEqual({
      extensions: ["extensions/two.js"],
      skills: [],
      prompts: ["prompts/review.md"],
      themes: [],
    });
  });

  test("a package of the command line replaces that of the settings", async () => {
    const entry = { source: "../tools", extensions: [] };
    const { found } = await load({ named: [{ entry, location: user }], given: [join(workspace.root, "tools")] });
    expect(names(found)).toEqual(everything);
    expect(found.skills[0]?.location).toBe("path");
  });

  test("a package of npm's -g is used until there is one of pi, in the version of the settings", async () => {
    await workspace.write("global/lib/node_modules/shared/package.json", { name: "shared", version: "1.2.3" });
    await workspace.write("global/lib/node_modules/shared/index.js", command("shared"));
    vi.stubEnv("npm_config_prefix", join(workspace.root, "global"));
    const loadAll = async (entry: string, location: "user" | "project") =>
      (await load({ named: [{ entry, location }] })).found.extensions;
    const shared = join(workspace.root, "global/lib/node_modules/shared/index.js");
    expect(await loadAll("npm:shared", user)).toMatchObject([{ path: shared }]);
    expect(await loadAll("npm:shared@1.2.3", user)).toMatchObject([{ path: shared }]);
    expect(await loadAll("npm:shared@2.0.0", user)).toEqual([]);
    expect(await loadAll("npm:shared", project)).toEqual([]);
    const own = await workspace.write("agent/npm/node_modules/shared/index.js", command("own"));
    expect(await loadAll("npm:shared", user)).toMatchObject([{ path: own }]);
  });

  test("a package that cannot be used is left out, with one line", async () => {
    await workspace.write("empty/readme.md", "");
    const entries = ["npm:../x", "npm:gone", "./gone", "../empty", { source: "../tools", prompts: ["a{b"] }];
    const { found, problems } = await load({ named: entries.map((entry) => ({ entry, location: user })) });
    expect(names(found)).toEqual({ extensions: everything.extensions, skills: everything.skills, prompts: [], themes: [] });
    expect(problems).toEqual([
      expect.stringMatching(/^A package of the settings \(user\) is not loaded: "npm:\.\.\/x" is not the source of a package/),
      "The package npm:gone is not loaded: it is not installed, and --offline allows no download.",
      expect.stringMatching(/^The package \.\/gone is not loaded: There is no file or folder .*gone\./),
      `The package ../empty has no extensions, skills, prompt templates or themes: ${join(workspace.root, "empty")}.`,
      expect.stringMatching(/^The package \.\.\/tools is not loaded: .*a\{b/),
    ]);
  });
});

describe("a session with packages", () => {
  async function commandNames(rpc: RpcProcess): Promise<string[]> {
    const { data } = await rpc.request({ type: "get_commands" });
    return ((data?.commands ?? []) as { name: string }[]).map(({ name }) => name);
  }

  async function start(...args: string[]) {
    const rpc = startRpc(workspace, ["--no-session", "--model", await workspace.script({ text: "Hello." }), ...args]);
    return { rpc, names: await commandNames(rpc) };
  }

  test("has the extensions, skills and templates of the user's packages; switches leave a kind out", async () => {
    await workspace.write("agent/settings.json", { packages: ["../tools"] });
    expect((await start()).names).toEqual(["one", "two", "review", "skill:search"]);
    expect((await start("--no-extensions")).names).toEqual(["review", "skill:search"]);
    expect((await start("--no-skills", "--no-prompt-templates")).names).toEqual(["one", "two"]);
  });

  test("tells clients and extensions which package a command comes from", async () => {
    await workspace.write("agent/settings.json", { packages: ["../tools"] });
    const names = "pi.getCommands().map(({ name, sourceInfo }) => [name, sourceInfo.source, sourceInfo.origin].join(' '))";
    const spy = `export default (pi) => pi.registerCommand("spy", { handler: (args, { ui }) => ui.notify(${names}.join(", ")) });`;
    const rpc = startRpc(workspace, [
      "--no-session",
      "--model",
      await workspace.script(),
      "-e",
      await workspace.write("spy.js", spy),
    ]);
    const { data } = await rpc.request({ type: "get_commands" });
    const baseDir = join(workspace.root, "tools");
    const info = { source: "../tools", baseDir, scope: "user", origin: "package" };
    const commands = (data?.commands ?? []) as { name: string; sourceInfo: unknown }[];
    expect(commands.map(({ name, sourceInfo }) => [name, sourceInfo])).toEqual([
      ["one", { ...info, path: join(baseDir, "extensions/one.js") }],
      ["two", { ...info, path: join(baseDir, "extensions/two.js") }],
      ["spy", { path: join(workspace.root, "spy.js"), source: "cli", scope: "temporary", origin: "top-level" }],
      ["review", { ...info, path: join(baseDir, "prompts/review.md") }],
      ["skill:search", { ...info, path: join(baseDir, "skills/search/SKILL.md") }],
    ]);
    await rpc.request({ type: "prompt", message: "/spy" });
    const { message } = await rpc.waitFor({ type: "extension_ui_request", method: "notify" });
    expect(message).toBe(
      "one ../tools package, two ../tools package, spy local top-level, review ../tools package, skill:search ../tools package",
    );
  });

  test("has those of a project only if the project is trusted", async () => {
    await workspace.write("work/.pi/settings.json", { packages: ["../../tools"] });
    expect((await start()).names).toEqual([]);
    expect((await start("--approve")).names).toEqual(["one", "two", "review", "skill:search"]);
  });

  test("has those of a folder that --extension names", async () => {
    expect((await start("--extension", "../tools")).names).toEqual(["one", "two", "review", "skill:search"]);
  });

  test("/reload looks at the settings and the packages again", async () => {
    await workspace.write("agent/settings.json", { packages: [{ source: "../tools", extensions: ["extensions/one.js"] }] });
    const { rpc, names } = await start();
    expect(names).toEqual(["one", "review", "skill:search"]);
    await workspace.write("agent/settings.json", { packages: [{ source: "../tools", prompts: [] }] });
    await workspace.write("tools/skills/write/SKILL.md", "---\nname: write\ndescription: Writes.\n---\nWrite.");
    await rpc.request({ type: "prompt", message: "/reload" });
    await rpc.waitFor({ type: "agent_settled" });
    expect(await commandNames(rpc)).toEqual(["one", "two", "skill:search", "skill:write"]);
  });
});
