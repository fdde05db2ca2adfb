import { readFile } from "node:fs/promises";
import { Value } from "@sinclair/typebox/value";
import { expect, test } from "vitest";
import { events } from "../../../src/protocol/events.ts";
import { parseStreamRule } from "../../../src/run/stream-rules/parse-rule.ts";
import { PatternSet } from "../../../src/run/stream-rules/pattern-set.ts";
import { toRuleInfo } from "../../../src/run/stream-rules/rule-message.ts";

test("the examples of docs/stream-rules.md are what a rule file says, matches and tells", async () => {
  const text = await readFile(new URL("../../../../../docs/stream-rules.md", import.meta.url), "utf8");
  const file = /^```markdown\n(.*?)^```$/ms.exec(text)?.[1] ?? "";
  const event = JSON.parse(/^```json\n(.*?)^```$/ms.exec(text)?.[1] ?? "");
  const rule = await parseStreamRule(file, "/home/me/project/.pi/rules/no-console.md");
  expect(event).toEqual({ type: "ttsr_triggered", rules: [toRuleInfo(rule)] });
  expect(Value.Check(events.ttsr_triggered, event)).toBe(true);
  const patterns = await PatternSet.compile([
    { name: "file", pattern: rule.trigger },
    { name: "text", pattern: String.raw`say\("hi"\)` },
  ]);
  expect([...patterns.begin().append('console.error(say("hi"))')]).toEqual([0, 1]);
});
