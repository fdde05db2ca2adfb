import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { built, root } from "./helpers.ts";

const bundle = (name: string) => import(pathToFileURL(join(root, "scripts/bundle", name)).href);
const { withParentheses } = (await bundle("parentheses.mjs")) as {
  withParentheses: (source: string, offsets: ReadonlySet<number>) => string;
};
const { calledAtStart } = (await bundle("called-at-start.mjs")) as {
  calledAtStart: (cli: string) => Promise<Map<string, Set<number>>>;
};

const source = [
  "var log=[];",
  "function outer(n){function inner(m){return m+1}return[1,2].map(x=>inner(x)+n)}",
  "async function later(){return outer(1)}",
  "function*some(){yield outer.name}",
  "function other(){return early()}",
  "var late=function(){return 'late'},point=n=>n*2,object={method(){return point(4)}};",
  "class Thing{m(){return late()}}",
  "log.push(other(),...some(),new Thing().m(),object.method());",
  "function early(){return outer(2).join()+early.name}",
  "[log,later];",
].join("\n");
const offsetsOf = (...parts: string[]) => new Set(parts.map((part) => source.indexOf(part)));
const offsets = offsetsOf("function outer", "x=>", "async function", "function*", "function(){", "n=>", "function early");

test("functions in parentheses do what they did before, also those that are called before their place", async () => {
  const resultsOf = async (text: string) => {
    const [log, later] = new Script(text).runInNewContext() as [unknown[], () => Promise<unknown>];
    return JSON.stringify([log, await later()]);
  };
  const after = withParentheses(source, offsets);
  expect(after.match(/\((?:async )?function|\(x=>|\(n=>/g)).toHaveLength(7);
  expect(await resultsOf(after)).toBe(await resultsOf(source));
  expect(await resultsOf(source)).toBe('[["4,5early","outer","late",8],[3,4]]');
});

test("V8 compiles them with the file, and the others with their first call", () => {
  const codeOf = (text: string) => new Script(text).createCachedData().length;
  const long = "n=Math.sin(n)+Math.cos(n);".repeat(100);
  const text = `function called(n){${long}}function other(n){${long}}`;
  const one = withParentheses(text, new Set([0]));
  expect(one).toMatch(/^var called=\(function \(n\)\{/);
  expect(codeOf(one) - codeOf(text)).toBeGreaterThan(1000);
  expect(codeOf(withParentheses(text, new Set([0, text.indexOf("function other")])))).toBeGreaterThan(codeOf(one) + 1000);
});

test("the built command compiles with its files what a start calls, except methods and async arrow functions", async () => {
  const called = await calledAtStart(built("coding-agent", "cli.js"));
  let count = 0;
  for (const [path, starts] of called) {
    const text = readFileSync(path, "utf8");
    for (const offset of starts) {
      if (!/^(?:async )?function\b/.test(text.slice(offset))) continue;
      count += 1;
      expect(text[offset - 1], `${path}: ${text.slice(offset, offset + 60)}`).toBe("(");
    }
  }
  expect(count).toBeGreaterThan(150);
});
