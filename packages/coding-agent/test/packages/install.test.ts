import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type CliOptions, runCli } from "../helpers/cli.ts";
import { NpmRegistry } from "../helpers/npm-registry.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const command = (name: string) => `export default (pi) => pi.registerCommand("${name}", { async handler() {} });`;

async function readSettings(path = "agent/settings.json"): Promise<unknown> {
  return JSON.parse(await readFile(join(workspace.root, path), "utf8"));
}

/** The names of the commands of a session. */
async function sessionCommands(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const rpc = startRpc(workspace, ["--no-session", "--model", await workspace.script(), ...args], { env });
  const { data } = await rpc.request({ type: "get_commands" });
  rpc.child.stdin.end();
  await rpc.exited;
  return { names: ((data?.commands ?? []) as { name: string }[]).map(({ name }) => name), stderr: rpc.stderr };
}

describe("packages of the npm registry", () => {
  test("install, list, use, update and remove", async () => {
    const registry = await NpmRegistry.start(workspace);
    const { env } = registry;
    const pi = (...args: string[]) => runCli(workspace, args, { env });
    await registry.publish({ name: "helper", version: "1.0.0", main: "index.js" }, { "index.js": "exports.name = 'hello';" });
    const dependencies = { helper: "^1.0.0" };
    const extension = `import { name } from "helper"; export default (pi) => pi.registerCommand(name, { async handler() {} });`;
    await registry.publish(
      { name: "@us/tools", version: "1.0.0", dependencies, peerDependencies: { "@earendil-works/pi-coding-agent": "*" } },
      { "extensions/hello.js": extension, "prompts/review.md": "Review." },
    );

    const installed = await pi("install", "npm:@us/tools");
    expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(installed.stdout).toContain("Installed npm:@us/tools 1.0.0: 1 extension, 1 prompt template.\n");
    expect(await readSettings()).toEqual({ packages: ["npm:@us/tools"] });
    expect(registry.requests.join()).not.toContain("pi-coding-agent");

    const folder = join(workspace.agentDir, "npm/node_modules/@us/tools");
    expect((await pi("list")).stdout).toBe(`User packages:\n  npm:@us/tools\n    ${folder}\n`);
    expect(await sessionCommands()).toEqual({ names: ["hello", "review"], stderr: "" });

    expect((await pi("update")).stdout).toBe("npm:@us/tools is up to date.\n");
    await registry.publish({ name: "@us/tools", version: "1.1.0", dependencies }, { "extensions/hello.js": extension });
    await registry.publish({ name: "@us/tools", version: "1.0.9", dependencies }, { "extensions/hello.js": extension });
    expect((await pi("update", "npm:@us/tools")).stdout).toBe("Updated npm:@us/tools 1.0.9: 1 extension.\n");
    expect((await pi("install", "npm:@us/tools@1.1.0")).exitCode).toBe(0);
    expect((await pi("update")).stdout).toBe("npm:@us/tools@1.1.0 is up to date.\n");
    expect(await readSettings()).toEqual({ packages: ["npm:@us/tools@1.1.0"] });

    expect(await pi("remove", "npm:@us/tools")).toMatchObject({ exitCode: 0, stdout: "Removed npm:@us/tools@1.1.0.\n" });
    expect(await readSettings()).toEqual({});
    expect(await readdir(join(workspace.agentDir, "npm/node_modules/@us"))).toEqual([]);
  });

  test("a session installs what its settings name and is missing; offline it says so", async () => {
    const registry = await NpmRegistry.start(workspace);
    await registry.publish({ name: "tools", version: "1.0.0" }, { "extensions/one.js": command("one") });
    await registry.publish({ name: "tools", version: "2.0.0" }, { "extensions/two.js": command("two") });
    await workspace.write("agent/settings.json", { packages: ["npm:tools@1.0.0", "npm:gone"] });
    expect((await sessionCommands(["--offline"], registry.env)).stderr).toContain(
      "The package npm:tools@1.0.0 is not loaded: it is not installed, and --offline allows no download.\n",
    );
    const first = await sessionCommands([], registry.env);
    expect(first.names).toEqual(["one"]);
    expect(first.stderr).toContain("The package npm:tools@1.0.0 is being installed.\n");
    expect(first.stderr).toMatch(/The package npm:gone is not loaded: npm install failed: it ended with exit code 1\./);
    // Another version in the settings is another package to install.
    await workspace.write("agent/settings.json", { packages: ["npm:tools@2.0.0"] });
    expect((await sessionCommands([], registry.env)).names).toEqual(["two"]);
  });

  test("several packages are updated in one run of npm; one that fails does not hinder the others", async () => {
    const registry = await NpmRegistry.start(workspace);
    const pi = (...args: string[]) => runCli(workspace, args, { env: registry.env });
    const publish = (name: string, version: string) => registry.publish({ name, version }, { "extensions/one.js": command(name) });
    for (const name of ["one", "two"]) {
      await publish(name, "1.0.0");
      await pi("install", `npm:${name}`);
    }
    await publish("two", "2.0.0");
    const runs = join(workspace.root, "runs.txt");
    const npmCommand = ["sh", "-c", `echo run >> ${runs}; exec npm "$@"`, "npm"];
    await workspace.write("agent/settings.json", { packages: ["npm:one", "npm:two"], npmCommand });
    expect(await pi("update", "--extensions")).toMatchObject({
      ...{ exitCode: 0 },
      stdout: "npm:one is up to date.\nUpdated npm:two 2.0.0: 1 extension.\n",
    });
    expect(await readFile(runs, "utf8")).toBe("run\n");
    await publish("one", "2.0.0");
    await workspace.write("agent/settings.json", { packages: ["npm:one", "npm:gone", "npm:two"] });
    const { exitCode, stdout, stderr } = await pi("update");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: "Updated npm:one 2.0.0: 1 extension.\nnpm:two is up to date.\n",
    });
    expect(stderr).toMatch(/^npm:gone was not updated: npm install failed: /m);
  });

  test("of several sessions that start at once, one installs the package and the others wait for it", async () => {
    const registry = await NpmRegistry.start(workspace);
    await registry.publish({ name: "tools", version: "1.0.0" }, { "extensions/one.js": command("one") });
    await workspace.write("agent/settings.json", { packages: ["npm:tools"] });
    const sessions = await Promise.all([1, 2, 3].map(() => sessionCommands([], registry.env)));
    expect(sessions.map(({ names }) => names)).toEqual([["one"], ["one"], ["one"]]);
    expect(registry.requests.filter((path) => path.endsWith(".tgz"))).toEqual(["-/tools-1.0.0.tgz"]);
  });

  test("--extension uses a package for one run, and keeps it for the next", async () => {
    const registry = await NpmRegistry.start(workspace);
    await registry.publish({ name: "tools", version: "1.0.0" }, { "extensions/one.js": command("one"), "prompts/two.md": "Two." });
    const args = ["--no-extensions", "--extension", "npm:tools"];
    expect((await sessionCommands(args, registry.env)).names).toEqual(["one", "two"]);
    expect(await sessionCommands(args, { npm_config_registry: "http://127.0.0.1:1/" })).toEqual({
      names: ["one", "two"],
      stderr: "",
    });
    expect((await runCli(workspace, ["list"])).stdout).toContain("There are no packages.");
    expect((await sessionCommands([], registry.env)).names).toEqual([]);
  });

  test("install scripts are run only if the user allows it", async () => {
    const registry = await NpmRegistry.start(workspace);
    const scripts = { postinstall: "echo ran > ran.txt" };
    await registry.publish({ name: "tools", version: "1.0.0", scripts }, { "extensions/one.js": command("one") });
    await registry.publish({ name: "more", version: "1.0.0", scripts }, { "extensions/two.js": command("two") });
    const pi = (...args: string[]) => runCli(workspace, args, { env: registry.env });
    const files = (name: string) => readdir(join(workspace.agentDir, "npm/node_modules", name));
    expect((await pi("install", "npm:tools")).stderr).toBe(
      "Install scripts were not run: tools. If the package does not work without them: pi install npm:tools --allow-scripts\n",
    );
    expect(await files("tools")).not.toContain("ran.txt");
    expect(await pi("install", "npm:more", "--allow-scripts")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await files("more")).toContain("ran.txt");
    expect(await readSettings()).toEqual({ packages: ["npm:tools", { source: "npm:more", allowScripts: true }] });
  });

  test("a failure leaves the settings as they are, and says what npm said", async () => {
    const registry = await NpmRegistry.start(workspace);
    const { exitCode, stderr } = await runCli(workspace, ["install", "npm:gone"], { env: registry.env });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^npm install failed: it ended with exit code 1\.\n.*gone/s);
    await expect(readSettings()).rejects.toThrow("ENOENT");
    await workspace.write("agent/settings.json", { npmCommand: ["no-such-npm"] });
    const missing = await runCli(workspace, ["install", "npm:gone"], { env: registry.env });
    expect(missing.stderr).toMatch(
      /^no-such-npm add failed: Cannot start no-such-npm .*Install no-such-npm, or correct the PATH\.$/m,
    );
  });
});

describe("packages in git repositories", () => {
  async function git(...args: string[]): Promise<void> {
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@host.test"];
    await promisify(execFile)("git", [...identity, ...args], { cwd: join(workspace.root, "host/us/tools") });
  }

  /** Lets git find `https://host.test/…` in a folder of this machine. */
  function gitOptions(): CliOptions {
    const address = `file://${join(workspace.root, "host")}/`;
    const rewrite = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${address}.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://host.test/",
    };
    return { env: { ...rewrite, GIT_CONFIG_NOSYSTEM: "1" } };
  }

  async function commit(name: string): Promise<void> {
    await workspace.write("host/us/tools/extensions/one.js", command(name));
    await git("add", "-A");
    await git("commit", "-qm", name);
  }

  test("install, use, update and remove", async () => {
    await workspace.write("host/us/tools/package.json", { name: "tools" });
    await git("init", "-q", "-b", "main");
    await commit("one");
    await git("tag", "-a", "v1", "-m", "first");
    const options = gitOptions();
    const pi = (...args: string[]) => runCli(workspace, args, options);
    const names = async () => (await sessionCommands([], options.env)).names;

    expect(await pi("install", "git:host.test/us/tools")).toMatchObject({
      ...{ exitCode: 0, stderr: "" },
      stdout: "Installing git:host.test/us/tools …\nInstalled git:host.test/us/tools: 1 extension.\n",
    });
    expect(await readSettings()).toEqual({ packages: ["git:host.test/us/tools"] });
    expect(await names()).toEqual(["one"]);

    expect((await pi("update")).stdout).toBe("git:host.test/us/tools is up to date.\n");
    await commit("two");
    expect((await pi("update")).stdout).toBe("Updated git:host.test/us/tools: 1 extension.\n");
    expect(await names()).toEqual(["two"]);

    // A ref is another state of the same package.
    await pi("install", "https://host.test/us/tools@v1");
    expect(await readSettings()).toEqual({ packages: ["https://host.test/us/tools@v1"] });
    expect(await names()).toEqual(["one"]);
    await commit("three");
    expect((await pi("update")).stdout).toBe("https://host.test/us/tools@v1 is up to date.\n");

    expect((await pi("remove", "git:host.test/us/tools")).stdout).toBe("Removed https://host.test/us/tools@v1.\n");
    expect(await readdir(join(workspace.agentDir, "git"))).toEqual([]);
    expect(await names()).toEqual([]);
  });

  test("a commit is a ref, too; a failed installation leaves nothing", async () => {
    await workspace.write("host/us/tools/package.json", { name: "tools" });
    await git("init", "-q", "-b", "main");
    await commit("one");
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "--short=10", "HEAD"], {
      cwd: join(workspace.root, "host/us/tools"),
    });
    await commit("two");
    const options = gitOptions();
    const failed = await runCli(workspace, ["install", "git:host.test/us/other"], options);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/^git clone failed: it ended with exit code 128\.\n/);
    expect(await readdir(join(workspace.agentDir, "git"))).toEqual([]);
    const source = `git:host.test/us/tools@${stdout.trim()}`;
    expect((await runCli(workspace, ["install", source], options)).exitCode).toBe(0);
    expect((await sessionCommands([], options.env)).names).toEqual(["one"]);
    expect((await runCli(workspace, ["update", source], options)).stdout).toBe(`${source} is up to date.\n`);
  });
});
