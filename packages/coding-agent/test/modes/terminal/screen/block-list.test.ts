import { expect, test } from "vitest";
import { type Block, finishedBlock } from "../../../../src/modes/terminal/block.ts";
import { BlockList } from "../../../../src/modes/terminal/screen/block-list.ts";

/** A block whose lines are set by the test: those before `finished` are finished. */
class GrowingBlock implements Block {
  lines: string[] = [];
  finished = 0;
  isDone = false;
  #taken = 0;

  takeFinished(): string[] {
    const taken = this.lines.slice(this.#taken, this.isDone ? undefined : this.finished);
    this.#taken += taken.length;
    return taken;
  }

  render(): string[] {
    return this.lines.slice(this.#taken);
  }
}

test("lines are taken in order, up to the first that may change; an empty line stands before each block that has any", () => {
  const list = new BlockList();
  const first = new GrowingBlock();
  const second = new GrowingBlock();
  list.add(finishedBlock(() => ["question"]));
  list.add(first);
  list.add(second);
  list.add(finishedBlock(() => []));
  first.lines = ["a", "b"];
  first.finished = 1;
  second.lines = ["x"];
  second.isDone = true;
  expect(list.takeFinished(80)).toEqual(["", "question", "", "a"]);
  expect(list.render(80, 10)).toEqual(["b", "", "x"]);
  expect(list.render(80, 2)).toEqual(["", "x"]);
  first.lines.push("c");
  first.isDone = true;
  expect(list.takeFinished(80)).toEqual(["b", "c", "", "x"]);
  expect(list.isEmpty).toBe(true);
  expect(list.takeFinished(80)).toEqual([]);
});

test("a block of very many lines is taken at once", () => {
  const list = new BlockList();
  list.add(finishedBlock(() => Array.from({ length: 300_000 }, (_, index) => String(index))));
  expect(list.takeFinished(80)).toHaveLength(300_001);
});
