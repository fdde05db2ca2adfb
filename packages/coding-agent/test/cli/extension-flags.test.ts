import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { parseWithFlags, readFlags } from "../../src/cli/extension-flags.ts";
import type { UsageError } from "../../src/errors.ts";
import { runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

function parse(...args: string[]) {
  try {
    return parseArguments(args);
  } catch (error) {
    return parseWithFlags(args, error as UsageError);
  }
}

const known = new Map([
  ["plan", { type: "boolean" as const }],
  ["host", { type: "string" as const, default: "here" }],
]);

test.each([
  { args: ["--plan", "Go"], values: { plan: true }, prompts: ["Go"] },
  { args: ["Go", "--host", "there", "on"], values: { host: "there" }, prompts: ["Go", "on"] },
  { args: ["there", "--host", "there", "there"], values: { host: "there" }, prompts: ["there", "there"] },
  { args: ["--host=there", "-p", "--plan", "--", "--plan"], values: { host: "there", plan: true }, prompts: ["--plan"] },
])("options of extensions are read when it is known which have values: $args", ({ args, values, prompts }) => {
  const parsed = parse(...args);
  expect(Object.fromEntries(readFlags(parsed, known))).toEqual(values);
  expect(parsed.prompts).toEqual(prompts);
});

describe("refused", () => {
  test("at once, if it has one dash", () => {
    expect(() => parse("-x")).toThrow("Unknown option '-x'");
  });

  test.each([
    { args: ["--nonsense"], message: "Unknown option '--nonsense'" },
    { args: ["--plan=yes"], message: "The option --plan takes no value: give it alone." },
    { args: ["--host"], message: "The option --host needs a value: --host=<text>." },
    { args: ["--host", "--plan"], message: "The option --host needs a value: --host=<text>." },
  ])("when the extensions are loaded: $args", ({ args, message }) => {
    const parsed = parse(...args);
    expect(() => readFlags(parsed, known)).toThrow(message);
  });
});

test("pi passes them to the extension, and refuses those that none has", async () => {
  await mkdir(join(workspace.agentDir, "extensions"), { recursive: true });
  await writeFile(
    join(workspace.agentDir, "extensions", "greet.ts"),
    `export default (pi) => {
      pi.registerFlag("greeting", { description: "Greets", type: "string", default: "Hello" });
      pi.registerFlag("loud", { type: "boolean" });
      pi.on("input", ({ text }) => ({ action: "transform", text: pi.getFlag("greeting") + " " + text + (pi.getFlag("loud") ? "!" : "") }));
    };`,
  );
  const model = await workspace.script({ text: "Done." });
  const arguments_ = ["--mode", "json", "--no-session", "--model", model];
  const { stdout, exitCode } = await runCli(workspace, [...arguments_, "--greeting", "Good day", "--loud", "Ann"]);
  expect({ exitCode, hasGreeted: stdout.includes('"Good day Ann!"') }).toEqual({ exitCode: 0, hasGreeted: true });
  const refused = await runCli(workspace, [...arguments_, "--nonsense", "Ann"]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("Unknown option '--nonsense'. Run pi --help for the options.");
});
