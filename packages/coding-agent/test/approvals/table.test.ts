import { expect, test } from "vitest";
import { actions, preparations } from "../../src/approvals/programs/actions.ts";
import { readTable } from "../../src/approvals/programs/read-table.ts";
import { table } from "../../src/approvals/programs/table/index.ts";

const blocks = table
  .replace(/\n {4,}/g, " ")
  .split(/\n(?=\S)/)
  .filter((block) => block.trim() !== "");
const names = blocks.flatMap((block) => (block.split(/ [(=+] |\n| \(/, 1)[0] ?? "").trim().split(/\s+/));

test("no program is in the table twice, so that none hides another one", () => {
  expect(names.length).toBeGreaterThan(600);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("each program can be read, and does only what there are actions for", () => {
  const find = readTable(table);
  for (const name of names) {
    const program = find(name);
    expect(program, name).toBeDefined();
    expect(
      program?.rows.filter((row) => row.steps.length === 0 || row.words.length + row.options.length === 0),
      name,
    ).toEqual([]);
    const steps = [...(program?.steps ?? []), ...(program?.rows ?? []).flatMap((row) => row.steps)];
    expect(steps.length, name).toBeGreaterThan(0);
    for (const { action, on } of steps) {
      expect(actions[action] ?? preparations[action], `${name}: ${action}`).toBeTypeOf("function");
      const isKnown = /^(all|init|last|\d(\.\.)?|-.+|[.~/].*)$/.test(on) || action === "prints" || action === "interprets";
      expect(isKnown, `${name}: ${action} ${on}`).toBe(true);
    }
  }
});

test("a row counts for its words and options", () => {
  const find = readTable(
    "\none two (o out) = reads\n  writes -o|--out, network: x|y z -f,\n    *:end\n  only read: -n\n  (x a b)\nthree\n  unknown: z\n",
  );
  expect(find("two")).toBe(find("one"));
  expect(find("four")).toBeUndefined();
  expect(find("three")).toMatchObject({ isOpen: true, steps: [] });
  expect(find("one")).toMatchObject({
    valued: new Set(["o", "out"]),
    valuedOf: new Map([["x", new Set(["a", "b"])]]),
    isOpen: false,
    steps: [{ action: "reads", on: "all" }],
    rows: [
      {
        words: [["x", "y"], ["z"]],
        options: [["-f"]],
        steps: [
          { action: "writes", on: "-o|--out" },
          { action: "network", on: "all" },
        ],
        isOnly: false,
      },
      { words: [["*:end"]], options: [], isOnly: false },
      { words: [], options: [["-n"]], steps: [{ action: "read", on: "all" }], isOnly: true },
    ],
  });
});
