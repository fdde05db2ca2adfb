import { expect, test } from "vitest";
import type { FileRestore } from "../../src/protocol/data.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { bash, change, commitAll, edit, openObedient, readTree, type ToolCalls, write } from "./changing-session.ts";

type Tree = Record<string, string>;

const names = ["a", "b", "c", "d", "d/e", "d/f", "g/h/i", "j.txt", "ünï cödé", "with space"];

/** Commands that change files in ways that a person would not think of at once. `x` and `y` are names of files. */
const commands: ((x: string, y: string, n: number) => string)[] = [
  (x, _y, n) => `mkdir -p "$(dirname '${x}')" && echo ${n} >> '${x}'`,
  (x) => `rm -rf '${x}'`,
  (x, y) => `mkdir -p "$(dirname '${y}')" && mv '${x}' '${y}'`,
  (x, y) => `mkdir -p "$(dirname '${y}')" && cp -R '${x}' '${y}'`,
  (x) => `chmod +x '${x}'`,
  (x) => `chmod -x '${x}'`,
  (x, y) => `rm -rf '${y}' && mkdir -p "$(dirname '${y}')" && ln -s '${x.startsWith(y) ? "nowhere" : x}' '${y}'`,
  (x, _y, n) => `rm -rf '${x}' && mkdir -p '${x}' && echo ${n} > '${x}/in'`,
  (x) => `rm -rf "$(dirname '${x}')"/? && touch '${x}'`,
  (_x, _y, n) => `git add -A && git commit -q -m ${n}`,
  (_x, _y, n) => `git add -A && git commit -q -m ${n} && git checkout -q -b b${n} HEAD~1`,
  () => "git checkout -q -f main",
  () => "git stash -q -u",
  () => "git stash pop -q",
  () => "git reset -q --hard HEAD~1",
  () => "git rm -q -r --cached . && git add -A",
  (x) => `printf 'a\\r\\nb\\0\\377' > '${x}'`,
  () => "git clean -q -f -d",
  (_x, _y, n) => `echo ${n} > ignored.log; echo ${n} > other`,
  (x) => `: > '${x}'`,
];

const identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n";

/** Random numbers from a seed (mulberry32). */
function createRandom(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return { below, pick: <T>(items: readonly T[]): T => items[below(items.length)] as T };
}

type Random = ReturnType<typeof createRandom>;

function randomCall(random: Random, step: number): ToolCalls[number] {
  const [x, y] = [random.pick(names), random.pick(names)];
  const kind = random.below(10);
  if (kind < 3) return write(x, random.below(4) === 0 ? "" : `${step}\n`.repeat(random.below(3) + 1));
  if (kind < 5) return edit(x, `${random.below(step + 1)}`, `${step}.`);
  return bash(identity + random.pick(commands)(x, y, step));
}

/** What the files should be, worked out from copies of all of them: the slow and simple twin of the journal. */
class Reference {
  /** The files before each turn that has changed some. */
  undoable: Tree[] = [];
  /** The files before each undo, and what could be undone then. */
  redoable: { files: Tree; undoable: Tree[] }[] = [];
  /** How often files were changed or put back. */
  changes = 0;
  /** The state before each message. */
  readonly messages = new Map<string, { files: Tree; undoable: Tree[]; changes: number }>();

  /** A turn begins. Returns what to call at its end, with whether it has changed files. */
  begin(files: Tree): (entryId: string, hasChanged: boolean) => void {
    const before = { files, undoable: this.undoable, changes: this.changes };
    return (entryId, hasChanged) => {
      this.messages.set(entryId, before);
      if (!hasChanged) return;
      this.undoable = [...this.undoable, files];
      this.redoable = [];
      this.changes += 1;
    };
  }

  /** @returns The files after an undo; undefined if there is nothing to undo. */
  undo(now: Tree): Tree | undefined {
    const files = this.undoable.at(-1);
    if (files) this.#goBack(now, this.undoable.slice(0, -1));
    return files;
  }

  /** @returns The files after a redo; undefined if there is nothing to redo. */
  redo(): Tree | undefined {
    const last = this.redoable.pop();
    if (!last) return undefined;
    this.undoable = last.undoable;
    this.changes += 1;
    return last.files;
  }

  goBefore(entryId: string, now: Tree): Tree {
    const { files, undoable, changes } = this.messages.get(entryId) as { files: Tree; undoable: Tree[]; changes: number };
    if (changes !== this.changes) this.#goBack(now, undoable);
    return files;
  }

  #goBack(now: Tree, undoable: Tree[]): void {
    this.redoable.push({ files: now, undoable: this.undoable });
    this.undoable = undoable;
    this.changes += 1;
  }
}

const workspace = useWorkspace();
const isLong = process.env.PIKIT_LONG === "1";
const steps = isLong ? 500 : 60;

test.each(isLong ? [1, 2, 3] : [4])(
  "at each point the files equal a reference copy, through writes, edits, commands, branches, forks, undos and redos (seed %i)",
  async (seed) => {
    const random = createRandom(seed);
    for (const name of ["a", "d/e", "g/h/i"]) await workspace.write(`work/${name}`, `${name} 0\n`);
    await workspace.write("work/.gitignore", "*.log\n");
    commitAll(workspace.cwd);
    const session = await openObedient(workspace);
    const reference = new Reference();
    /** Ignored files change without a trace, but are never removed. */
    const look = async () => {
      const { "ignored.log": _log, ...others } = await readTree(workspace.cwd);
      return others;
    };
    let hasChanged = false;
    let beforeCall: Tree = {};
    session.subscribe(async ({ type }) => {
      if (type === "tool_execution_start") beforeCall = await look();
      if (type === "tool_execution_end") hasChanged ||= JSON.stringify(await look()) !== JSON.stringify(beforeCall);
    });
    const expectFiles = async (result: FileRestore | undefined, files: Tree, what: string) => {
      expect({ what, result, files: await look() }).toEqual({
        what,
        result: { restored: expect.any(Array), conflicts: [], notCovered: [] },
        files,
      });
    };

    for (let step = 1; step <= steps; step += 1) {
      const kind = random.below(10);
      const now = await look();
      if (kind < 6) {
        const end = reference.begin(now);
        hasChanged = false;
        await change(session, ...Array.from({ length: 1 + random.below(2) }, () => randomCall(random, step)));
        end((await session.history.branchPoints()).at(-1)?.entryId ?? "", hasChanged);
      } else if (kind < 8) {
        const files = reference.undo(now);
        if (files) await expectFiles(await session.undo(), files, `undo in step ${step}`);
        else await expect(session.undo()).rejects.toMatchObject({ code: "nothing_to_undo" });
      } else if (kind < 9) {
        const files = reference.redo();
        if (files) await expectFiles(await session.redo(), files, `redo in step ${step}`);
        else await expect(session.redo()).rejects.toMatchObject({ code: "nothing_to_undo" });
      } else {
        const points = await session.history.branchPoints();
        if (points.length === 0) continue;
        const { entryId } = random.pick(points.slice(-4));
        const files = reference.goBefore(entryId, now);
        let result: FileRestore | undefined;
        const onFilesRestored = (restored: FileRestore) => {
          result = restored;
        };
        const way = random.below(2) === 0 ? "branch" : "fork";
        await session.history[way](entryId, { restoreFiles: true, onFilesRestored });
        await expectFiles(result, files, `${way} in step ${step}`);
      }
    }
    expect(reference.changes).toBeGreaterThan(steps / 3);
  },
);
