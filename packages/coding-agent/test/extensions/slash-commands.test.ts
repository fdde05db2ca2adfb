import { expect, test } from "vitest";
import { type SlashCommand, SlashCommands } from "../../src/extensions/slash-commands.ts";

const command = (name: string, fields: Partial<SlashCommand> = {}): SlashCommand => ({
  name,
  source: "extension",
  run: async () => {},
  ...fields,
});

test("a prompt that begins with the name of a command is that command, with what stands behind it", () => {
  const commands = new SlashCommands();
  commands.register(command("fix"));
  commands.register(command("skill:review"));
  const find = (text: string) => {
    const call = commands.find(text);
    return call && [call.command.name, call.args];
  };
  expect(find("/fix")).toEqual(["fix", ""]);
  expect(find("/fix  the bug \n")).toEqual(["fix", "the bug"]);
  expect(find("/fix\nline 1\nline 2")).toEqual(["fix", "line 1\nline 2"]);
  expect(find("/skill:review src")).toEqual(["skill:review", "src"]);
  for (const text of ["fix", " /fix", "/fixed", "/", "/ fix", "//fix", "/etc/hosts is wrong", "/toString", ""]) {
    expect(find(text)).toBeUndefined();
  }
});

test("the first command of a name stays; a list tells what is known of each, and leaves out the hidden", () => {
  const commands = new SlashCommands();
  expect(commands.register(command("a", { description: "One", location: "user", path: "/a.md" }))).toBe(true);
  expect(commands.register(command("a", { description: "Two" }))).toBe(false);
  commands.register(command("b", { isHidden: true }));
  commands.register(command("c"));
  expect(commands.list()).toEqual([
    { name: "a", description: "One", source: "extension", location: "user", path: "/a.md" },
    { name: "c", source: "extension" },
  ]);
  commands.remove(({ path }) => path === undefined);
  expect(commands.list().map(({ name }) => name)).toEqual(["a"]);
  expect(commands.find("/b")).toBeUndefined();
});
