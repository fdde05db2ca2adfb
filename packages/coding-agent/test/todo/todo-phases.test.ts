import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TodoPhase, TodoPhaseInput } from "../../src/protocol/data.ts";
import { normalizePhases } from "../../src/todo/normalize-phases.ts";
import { readStoredPhases, tasksOf } from "../../src/todo/todo-phases.ts";

/** A list in short: `name#id: content#id status, …`. */
function short(phases: readonly TodoPhase[]): string[] {
  return phases.map(
    ({ id, name, tasks }) =>
      `${name}#${id}: ${tasks.map((task) => `${task.content}#${task.id}${task.status === "pending" ? "" : ` ${task.status}`}`).join(", ")}`,
  );
}

const phase = (name: string, ...contents: string[]): TodoPhaseInput => ({ name, tasks: contents.map((content) => ({ content })) });

describe("a list that is set", () => {
  test("gets ids and statuses where they are missing, and keeps those that are given", () => {
    const input: TodoPhaseInput[] = [
      {
        id: "mine",
        name: " Plan ",
        tasks: [
          { content: " read ", status: "completed" },
          { id: "task-1", content: "think" },
        ],
      },
      { ...phase("Work", "write"), id: null },
    ];
    expect(short(normalizePhases(input, []))).toEqual([
      "Plan#mine: read#task-2 completed, think#task-1",
      "Work#phase-1: write#task-3",
    ]);
  });

  test.each<[string, TodoPhaseInput[], string[]]>([
    ["sent again", [phase("A", "x", "y"), phase("B", "z")], ["A#phase-1: x#task-1, y#task-2", "B#phase-2: z#task-3"]],
    ["in another order", [phase("B", "z"), phase("A", "y", "x")], ["B#phase-2: z#task-3", "A#phase-1: y#task-2, x#task-1"]],
    ["with one more at the top", [phase("A", "new", "x", "y")], ["A#phase-1: new#task-3, x#task-1, y#task-2"]],
    ["with one reworded", [phase("A", "x", "why"), phase("B", "z")], ["A#phase-1: x#task-1, why#task-2", "B#phase-2: z#task-3"]],
    [
      "with a task moved to another phase",
      [phase("A", "x"), phase("B", "y", "z")],
      ["A#phase-1: x#task-1", "B#phase-2: y#task-2, z#task-3"],
    ],
    ["with a task doubled", [phase("A", "x", "x", "y")], ["A#phase-1: x#task-1, x#task-3, y#task-2"]],
    ["by another list", [phase("C", "v")], ["C#phase-1: v#task-1"]],
    ["by nothing", [], []],
  ])("%s, never renumbers what stays", (_how, input, expected) => {
    const before = normalizePhases([phase("A", "x", "y"), phase("B", "z")], []);
    expect(short(normalizePhases(input, before))).toEqual(expected);
  });

  test.each<[TodoPhaseInput[], string]>([
    [[{ name: " ", tasks: [] }], "phases[0].name is empty"],
    [[phase("A", "x", "")], "phases[0].tasks[1].content is empty"],
    [[{ id: "", name: "A", tasks: [] }], "phases[0].id is empty"],
    [
      [
        { name: "A", tasks: [{ id: "t", content: "x" }] },
        { name: "B", tasks: [{ id: "t", content: "y" }] },
      ],
      'the id "t" of phases[1].tasks[0] is used twice',
    ],
  ])("is refused with the place: %j", (input, reason) => {
    expect(() => normalizePhases(input, [])).toThrow(reason);
  });

  test("SC-011 names, contents and ids like __proto__ are texts like all others", () => {
    const input = JSON.parse(
      '[{"name":"__proto__","__proto__":{"x":1},"tasks":[{"id":"__proto__","content":"constructor"},{"content":"__proto__"}]}]',
    ) as TodoPhaseInput[];
    const set = normalizePhases(input, []);
    expect(set).toEqual([
      {
        id: "phase-1",
        name: "__proto__",
        tasks: [
          { id: "__proto__", content: "constructor", status: "pending" },
          { id: "task-1", content: "__proto__", status: "pending" },
        ],
      },
    ]);
    expect(normalizePhases(input, set)).toEqual(set);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("whatever came before: ids are unique, texts and order are those that were set, and setting the result again changes nothing", () => {
    const id = fc.option(fc.constantFrom("task-1", "task-2", "a", "b"), { nil: undefined });
    const task = fc.record({ id, content: fc.constantFrom("x", "y", "z", "w") });
    const list = fc.array(fc.record({ name: fc.constantFrom("A", "B"), tasks: fc.array(task, { maxLength: 4 }) }), {
      maxLength: 3,
    });
    const isAllowed = (input: readonly { tasks: { id: string | undefined }[] }[]) => {
      const ids = input.flatMap(({ tasks }) => tasks.flatMap((each) => each.id ?? []));
      return new Set(ids).size === ids.length;
    };
    const lists = fc.array(list.filter(isAllowed), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, (inputs) => {
        let before: TodoPhase[] = [];
        for (const input of inputs) {
          const set = normalizePhases(input as TodoPhaseInput[], before);
          const tasks = tasksOf(set);
          expect(new Set(tasks.map((each) => each.id)).size).toBe(tasks.length);
          expect(set.map(({ name, tasks: inPhase }) => [name, inPhase.map(({ content }) => content)])).toEqual(
            input.map(({ name, tasks: inPhase }) => [name, inPhase.map(({ content }) => content)]),
          );
          expect(normalizePhases(set, before)).toEqual(set);
          const withoutIds = set.map(({ name, tasks: inPhase }) => ({ name, tasks: inPhase.map(({ content }) => ({ content })) }));
          const contents = tasks.map(({ content }) => content);
          if (new Set(contents).size === contents.length && new Set(set.map(({ name }) => name)).size === set.length) {
            expect(normalizePhases(withoutIds, set)).toEqual(set);
          }
          before = set;
        }
      }),
    );
  });
});

test.each([
  undefined,
  null,
  [],
  {},
  { phases: "x" },
  { phases: [null] },
  { phases: [{ id: "p", name: "A" }] },
  { phases: [{ id: "p", name: "A", tasks: [{ id: "t", content: "x", status: "later" }] }] },
])("what is stored and no list gives an empty one: %j", (data) => {
  expect(readStoredPhases(data)).toEqual([]);
});
