import type { AgentTool } from "@pikit/agent";
import { assertLinear } from "@pikit/test-kit";
import * as Type from "@sinclair/typebox";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolPatterns } from "../../src/run/tool-patterns.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

async function compilerFor(name = "tool") {
  const problems: string[] = [];
  const patterns = new ToolPatterns((problem) => problems.push(problem));
  return { compile: await patterns.forTool({ name } as AgentTool), problems, patterns };
}

describe("B2 the regular expressions of schemas", () => {
  const piece = fc.constantFrom(
    ...[
      "a",
      "b",
      "1",
      ".",
      "\\s",
      "\\S",
      "\\d",
      "\\w",
      "\\D",
      "\\W",
      "[ab]",
      "[^a\\s]",
      "[\\d-]",
      "\\.",
      "\\/",
      "\\u00e9",
      "\\p{L}",
      "é",
    ],
    ...["a?", "b*", "1+", ".{0,2}", "(?:a|b)", "(?<n>1)", "(a|1)+", "^", "$", "\\b", "[\\s.]", "\\t", "😀"],
  );
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "1", ".", " ", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "é", "😀", "-", "/", "\t"),
    maxLength: 6,
  });

  test("mean what JSON Schema says they mean", async () => {
    const { compile } = await compilerFor();
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), fc.array(text, { maxLength: 8 }), (pieces, texts) => {
        const source = pieces.filter((one, at) => !(one.startsWith("(?<n>") && pieces.indexOf(one) < at)).join("");
        const pattern = compile(source);
        const expected = new RegExp(source, "u");
        for (const one of texts) expect([source, one, pattern?.test(one)]).toEqual([source, one, expected.test(one)]);
      }),
      { numRuns: process.env.PIKIT_LONG === "1" ? 100_000 : 1000 },
    );
  });

  test.each(["^(a+)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){12}"])("take linear time: %s", async (source) => {
    const { compile } = await compilerFor();
    const pattern = compile(source);
    await assertLinear(1 << 16, (size) => {
      const trap = `${"a".repeat(size)}!`;
      return () => expect(pattern?.test(trap)).toBe(source === "(.*a){12}");
    });
  });

  test.each([
    ["(?=a)b", "invalid or unsupported Perl syntax: `(?=`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["(((", "missing closing ): `(((`"],
    [`a{1,${"9".repeat(30)}}`, "invalid repeat count"],
    ["x{1000}".repeat(100), "it has too many repetitions"],
    ["a".repeat(1001), "it has more than 1000 characters"],
  ])("are not checked where the engine cannot: %s", async (source, reason) => {
    const { compile, problems } = await compilerFor();
    expect(compile(source)).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(`in the schema of the tool tool is not checked: ${reason}`)]);
  });

  test("are told of once for each tool", async () => {
    const { compile, problems, patterns } = await compilerFor("one");
    for (const source of ["(?=a)", "(?=b)"]) compile(source);
    (await patterns.forTool({ name: "one" } as AgentTool))("(?=c)");
    (await patterns.forTool({ name: "two" } as AgentTool))("(?=a)");
    expect(problems.map((problem) => /tool (\w+) is not/.exec(problem)?.[1])).toEqual(["one", "two"]);
  });

  test("have a limit for all of a schema together", async () => {
    const { compile } = await compilerFor();
    const sources = Array.from({ length: 30 }, (_, n) => `^${"x".repeat(10)}{900}${n}$`);
    const made = sources.filter((source) => compile(source) !== undefined);
    expect(made.length).toBeGreaterThan(5);
    expect(made.length).toBeLessThan(30);
  });
});

test("B2 a pattern that would run for ever refuses what it should, in a session; one that cannot be checked is told of", async () => {
  const evil = { type: "string", pattern: "^(a+)+$" };
  const schemas = {
    plain: { type: "object", properties: { a: evil } },
    typed: Type.Object({ a: Type.String({ pattern: "^(a+)+$" }) }),
    ahead: { type: "object", properties: { a: { type: "string", pattern: "^(?=(a+)+$)" } } },
  };
  const customTools = Object.entries(schemas).map(([name, parameters]) => ({
    ...{ name, label: name, description: name, parameters: parameters as never },
    execute: async () => ({ content: [{ type: "text" as const, text: "ran" }], details: null }),
  }));
  const problems: string[] = [];
  const args = { a: `${"a".repeat(100)}!` };
  const script = [{ toolCalls: Object.keys(schemas).map((name) => ({ name, arguments: args })) }, { text: "Done." }];
  const options = { customTools, tools: [], onProblem: (problem: string) => void problems.push(problem) };
  const { session, events } = await createScriptedSession(workspace, script, options);
  await session.prompt("Go");
  const results = events.flatMap((event) => (event.type === "tool_execution_end" ? [[event.toolName, event.isError]] : []));
  expect(results).toEqual([
    ["plain", true],
    ["typed", true],
    ["ahead", false],
  ]);
  expect(problems).toEqual([
    'The pattern "^(?=(a+)+$)" in the schema of the tool ahead is not checked: invalid or unsupported Perl syntax: `(?=`. The tool can still be used.',
  ]);
});
