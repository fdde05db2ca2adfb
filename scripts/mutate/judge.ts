import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyMutant, type Mutant } from "./find-mutants.ts";
import type { RelatedTests } from "./related-tests.ts";
import type { TestRunner } from "./run-tests.ts";
import type { WorkingCopy } from "./working-copy.ts";

export type Verdict =
  | { isKilled: true; by: string }
  /** `note` says how many test files have passed. */
  | { isKilled: false; note: string };

/** Test files that run first; they kill most mutants. */
const nearest = 8;
/** Those need what is built, or take minutes. */
const leftOut = /\/test\/(?:shipping|soak|scale|kill)\//;

/** Finds out whether tests notice mutants. */
export class Judge {
  readonly #copy: WorkingCopy;
  readonly #related: RelatedTests;
  readonly #runner: TestRunner;
  readonly #limitMs: number;
  /** Test files that fail without a mutant too, or do not end in time. */
  readonly #unusable = new Set<string>();
  readonly #usable = new Set<string>();

  constructor(copy: WorkingCopy, related: RelatedTests, runner: TestRunner, { limitMs }: { limitMs: number }) {
    this.#copy = copy;
    this.#related = related;
    this.#runner = runner;
    this.#limitMs = limitMs;
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const path = join(this.#copy.root, mutant.file);
    const source = this.#copy.read(mutant.file);
    const withMutant = async <T>(work: () => Promise<T>): Promise<T> => {
      writeFileSync(path, applyMutant(source, mutant));
      try {
        return await work();
      } finally {
        writeFileSync(path, source);
      }
    };
    const end = performance.now() + this.#limitMs;
    const tests = this.#related.of(mutant.file).filter((file) => !leftOut.test(file));
    let passed = 0;
    for (const group of [tests.slice(0, nearest), tests.slice(nearest)]) {
      for (;;) {
        const files = group.filter((file) => !this.#unusable.has(file));
        if (files.length === 0) break;
        const result = await withMutant(() => this.#runner.run(files, Math.max(1000, end - performance.now())));
        if (result.outcome === "late" && group[0] !== tests[0]) {
          return { isKilled: false, note: `${passed} test files passed, ${files.length} did not end in time` };
        }
        if (result.outcome === "passed") {
          passed += files.length;
          break;
        }
        const suspects = result.outcome === "failed" && result.files.length > 0 ? result.files : files;
        if (await this.#areUsable(suspects)) {
          return { isKilled: true, by: result.outcome === "late" ? "tests that do not end" : (suspects[0] ?? "") };
        }
      }
    }
    if (passed > 0) return { isKilled: false, note: `${passed} test files passed` };
    return { isKilled: false, note: tests.length === 0 ? "no test comes to it" : "its tests fail without the change too" };
  }

  /** Whether the tests pass without a mutant; those that do not are left out from now on. */
  async #areUsable(files: readonly string[]): Promise<boolean> {
    const unknown = files.filter((file) => !this.#usable.has(file));
    if (unknown.length === 0) return true;
    const result = await this.#runner.run(unknown, this.#limitMs);
    if (result.outcome === "passed") {
      for (const file of unknown) this.#usable.add(file);
      return true;
    }
    const failed = result.outcome === "failed" && result.files.length > 0 ? result.files : unknown;
    for (const file of failed) {
      this.#unusable.add(file);
      console.error(`${file} is left out: it fails here without a mutant, too.`);
    }
    return false;
  }
}
