import { beforeEach, expect, test } from "vitest";
import { startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const command = (name: string) => `export default (pi) => pi.registerCommand("${name}", { async handler() {} });`;
const skill = (name: string) => `---\nname: ${name}\ndescription: ${name}.\n---\nDo ${name}.`;

/** The names of the commands of a session. */
async function commandNames(...args: string[]): Promise<string[]> {
  const rpc = startRpc(workspace, ["--no-session", "--approve", "--model", await workspace.script(), ...args]);
  const { data } = await rpc.request({ type: "get_commands" });
  expect(rpc.stderr).toBe("");
  return ((data?.commands ?? []) as { name: string }[]).map(({ name }) => name);
}

beforeEach(async () => {
  for (const name of ["one", "two"]) {
    await workspace.write(`agent/extensions/${name}.js`, command(name));
    await workspace.write(`agent/skills/${name}/SKILL.md`, skill(name));
    await workspace.write(`agent/prompts/${name}-prompt.md`, name);
    await workspace.write(`work/.pi/extensions/our-${name}/index.js`, command(`our-${name}`));
    await workspace.write(`more/${name}.md`, name);
  }
});

test("settings leave out what was found in a folder, as the selector of related programs writes it", async () => {
  await workspace.write("agent/settings.json", {
    extensions: ["-extensions/two.js"],
    skills: ["-skills/one/SKILL.md"],
    prompts: ["!prompts/two*"],
  });
  expect(await commandNames()).toEqual(["our-one", "our-two", "one", "one-prompt", "skill:two"]);
});

test("a pattern is about its own scope; + brings one back; the command line is not filtered", async () => {
  await workspace.write("agent/settings.json", {
    extensions: ["!**/our-one", "!extensions/*", "+extensions/two.js"],
    skills: ["!**"],
  });
  await workspace.write("work/.pi/settings.json", { extensions: ["!**/one.js", "-extensions/our-two"] });
  expect(await commandNames("-e", "../agent/extensions/one.js", "--skill", "../agent/skills/two")).toEqual([
    ...["our-one", "two", "one"],
    ...["one-prompt", "two-prompt", "skill:two"],
  ]);
});

test("paths in settings may be globs, also with exceptions", async () => {
  await workspace.write("agent/settings.json", { prompts: ["../more/*.md", "!../more/two.md"], extensions: ["~/lib/*.js"] });
  await workspace.write("lib/three.js", command("three"));
  await workspace.write("lib/readme.md", "");
  expect(await commandNames("--no-skills")).toEqual([
    ...["our-one", "our-two", "one", "two", "three"],
    ...["one", "one-prompt", "two-prompt"],
  ]);
});

test("a folder in settings may have several extensions, and templates in its subfolders", async () => {
  await workspace.write("lib/three.js", command("three"));
  await workspace.write("lib/four/index.ts", command("four"));
  await workspace.write("more/deep/five.md", "five");
  await workspace.write("more/node_modules/six.md", "six");
  await workspace.write("agent/prompts/deep/seven.md", "seven");
  await workspace.write("agent/settings.json", { extensions: ["../lib"], prompts: ["../more"] });
  expect(await commandNames("--no-skills")).toEqual([
    ...["our-one", "our-two", "one", "two", "four", "three"],
    ...["five", "one", "one-prompt", "two", "two-prompt"],
  ]);
});

test("an invalid pattern is reported and has no effect", async () => {
  await workspace.write("agent/settings.json", { prompts: ["!a{b"], skills: ["!**"] });
  const rpc = startRpc(workspace, ["--no-session", "--model", await workspace.script()]);
  const { data } = await rpc.request({ type: "get_commands" });
  expect((data?.commands as unknown[] | undefined)?.length).toBe(4);
  expect(rpc.stderr).toMatch(/^The patterns of prompts in the settings have no effect: .*a\{b/m);
});
