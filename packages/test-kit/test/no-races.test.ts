import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** What makes the outcome of a test a question of speed, and what is used in its place. */
const rules: { name: string; pattern: RegExp; instead: string }[] = [
  {
    name: "a limit under five seconds",
    // `timeout` is in seconds or milliseconds; 0 is no limit.
    pattern:
      /\b(?:\w*(?:timeout|Timeout|Grace|idle|wait|healthCheck|maxTime)Ms: ?(?:[1-9]\d{0,2}|[1-4]_?\d{3})\b(?! \*)|(?:timeout|\w*(?:Timeout|timeout|Time)Seconds): ?(?:0\.\d+|[1-9]|[1-5]\d)\b)/,
    instead: "holdClock() and a limit of a minute",
  },
  {
    name: "a wait for time to pass",
    pattern: /\b(?:sleep|wait)\([\d(]|=> ?setTimeout\(\w+, ?[1-9]/,
    instead: "until(), or an event",
  },
  { name: "vitest's own polling", pattern: /\bexpect\.poll\(|\bvi\.wait(?:For|Until)\(/, instead: "until()" },
  { name: "a time limit of its own", pattern: /\btestTimeout\b|, \{ timeout(?::|,| \})/, instead: "that of all tests" },
  {
    name: "a look at the clock",
    pattern: /expect\((?:performance|Date)\.now\(\) -/,
    instead: "cpuMs(), assertLinear() or a count",
  },
  { name: "memory with its garbage", pattern: /expect\(.*process\.memoryUsage/, instead: "heldBytes()" },
];

test("no test depends on how long something takes; where one may, a comment says why: // no race: …", () => {
  const found = globSync("*/test/**/*.ts", { cwd: packages, exclude: (name) => name === "node_modules" }).flatMap((file) => {
    if (file.endsWith("no-races.test.ts")) return [];
    const lines = readFileSync(`${packages}${file}`, "utf8").split("\n");
    return lines.flatMap((line, index) => {
      if (/^\s*(?:\*|\/\/|\/\*\*)/.test(line)) return [];
      if (`${lines[index - 1]}\n${line}`.includes("// no race: ")) return [];
      const rule = rules.find(({ pattern }) => pattern.test(line));
      return rule ? [`${file}:${index + 1}: ${rule.name}; use ${rule.instead}: ${line.trim()}`] : [];
    });
  });
  expect(found).toEqual([]);
});
