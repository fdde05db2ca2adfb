import { expect, test } from "vitest";
import { readTypedCommand, type TypedCommand } from "../../../../src/modes/terminal/input/typed-command.ts";

test.each<[typed: string, command: TypedCommand]>([
  ["", { kind: "empty" }],
  [" \n ", { kind: "empty" }],
  [" Explain this \n", { kind: "prompt", text: "Explain this" }],
  ["!ls -l", { kind: "shell", command: "ls -l", isForModel: true }],
  ["!!ls -l", { kind: "shell", command: "ls -l", isForModel: false }],
  ["  ! cat <<E\na\nE", { kind: "shell", command: "cat <<E\na\nE", isForModel: true }],
  ["!", { kind: "prompt", text: "!" }],
  ["!!", { kind: "prompt", text: "!!" }],
  ["!! ", { kind: "prompt", text: "!!" }],
  ["!!! stop", { kind: "prompt", text: "!!! stop" }],
  ["/model", { kind: "command", name: "model", args: "" }],
  [" /model  gpt 5 ", { kind: "command", name: "model", args: "gpt 5" }],
  ["/review a\nb", { kind: "command", name: "review", args: "a\nb" }],
  ["/skill:tests", { kind: "command", name: "skill:tests", args: "" }],
  ["/", { kind: "prompt", text: "/" }],
  ["/ model", { kind: "prompt", text: "/ model" }],
  ["/etc/hosts is wrong", { kind: "prompt", text: "/etc/hosts is wrong" }],
  ["a /model", { kind: "prompt", text: "a /model" }],
])("%j", (typed, command) => {
  expect(readTypedCommand(typed)).toEqual(command);
});
