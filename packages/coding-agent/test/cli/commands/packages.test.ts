import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const pi = (...args: string[]) => runCli(workspace, args);

async function readSettings(path = "agent/settings.json"): Promise<unknown> {
  return JSON.parse(await readFile(join(workspace.root, path), "utf8"));
}

beforeEach(async () => {
  await workspace.write("work/tools/skills/search/SKILL.md", "---\nname: search\ndescription: Searches.\n---\nSearch.");
});

describe("pi install, list, update and remove", () => {
  test("a local package stays where it is; settings of other programs and filters are kept", async () => {
    const packages = [{ source: "../work/tools", skills: ["search"], other: 1 }, "../elsewhere"];
    await workspace.write("agent/settings.json", { somebody: { else: true }, packages });
    expect(await pi("install", "./tools")).toEqual({ exitCode: 0, stdout: "Installed ./tools: 1 skill.\n", stderr: "" });
    expect(await readSettings()).toEqual({ somebody: { else: true }, packages });
    expect((await pi("list")).stdout).toBe(
      `User packages:\n  ../work/tools (filtered)\n    ${join(workspace.cwd, "tools")}\n  ../elsewhere (not installed)\n    ${join(workspace.root, "elsewhere")}\n`,
    );
    expect((await pi("uninstall", "tools")).stdout).toBe("Removed ../work/tools.\n");
    expect(await readSettings()).toEqual({ somebody: { else: true }, packages: ["../elsewhere"] });
    const { exitCode, stderr } = await pi("remove", "./tools");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "The settings have no package ./tools. Packages: ../elsewhere.\n",
    });
    expect((await pi("remove", "else")).stderr).toBe("The settings have no package else. Did you mean ../elsewhere?\n");
  });

  test("--local is for the project, which must be trusted if it has a .pi folder", async () => {
    expect((await pi("install", "-l", "./tools")).exitCode).toBe(0);
    expect(await readSettings("work/.pi/settings.json")).toEqual({ packages: ["../tools"] });
    const refused = await pi("remove", "-l", "./tools");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/^Not loaded from .*\.pi, since this folder is not trusted: settings\. Use --approve/);
    const listed = await pi("list");
    expect(listed.stdout).toBe("There are no packages. pi install <source> adds one.\n");
    expect(listed.stderr).toBe(refused.stderr);
    expect((await pi("list", "-na")).stdout).toBe(listed.stdout);
    expect((await pi("list", "-a")).stdout).toBe(`Project packages:\n  ../tools\n    ${join(workspace.cwd, "tools")}\n`);
    expect((await pi("remove", "--local", "./tools", "--approve")).stdout).toBe("Removed ../tools.\n");
    expect(await readSettings("work/.pi/settings.json")).toEqual({});
  });

  test("what is missing or wrong is said in one sentence", async () => {
    const missing = await pi("install", "tools-of-mine");
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toBe(
      `There is no file or folder ${join(workspace.cwd, "tools-of-mine")}. A package of the registry is named npm:tools-of-mine, a repository git:host/owner/name.\n`,
    );
    for (const name of ["install", "remove"])
      expect(await pi(name)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^Usage: /) });
    const words = await pi("list", "all", "files");
    expect(words.exitCode).toBe(2);
    expect(words.stderr).toMatch(/^Usage: pi list\n.*\nTo send the text as a prompt: pi -- "list all files"\n$/s);
    expect((await pi("update", "--nope")).stderr).toMatch(/^Unknown option '--nope'\.\nUsage: pi update/);
  });

  test.each(["install", "remove", "uninstall", "update", "list"])("pi %s --help prints its usage", async (name) => {
    const { exitCode, stdout } = await pi(name, "--help");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^Usage: pi \w+/) });
  });

  test("pi update has no pi to update, and says how that is done", async () => {
    const self = expect.stringMatching(/^pi itself is updated by the package manager that installed it, such as .*\n$/);
    expect(await pi("update", "--self")).toEqual({ exitCode: 0, stdout: "", stderr: self });
    expect(await pi("update", "pi")).toEqual({ exitCode: 0, stdout: "", stderr: self });
    expect(await pi("update", "--all")).toEqual({ exitCode: 0, stdout: "There are no packages.\n", stderr: self });
    expect(await pi("update", "--models")).toMatchObject({ exitCode: 0, stdout: "" });
  });
});
