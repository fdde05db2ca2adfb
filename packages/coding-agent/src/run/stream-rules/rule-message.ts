import type { AssistantMessage } from "@pikit/ai";
import type { CustomMessage } from "../../protocol/messages.ts";
import type { StreamRule } from "./rule.ts";

/** How messages are marked that carry rules. */
export const ruleMessageType = "ttsr";

/** What a message of rules keeps for user interfaces, and for who reads the session again. */
export interface RuleMessageDetails {
  rules: { name: string; description?: string; path: string }[];
}

/** The message with which an answer is asked for again: the rules, and what was written before if all of them want it kept. */
export function createRuleMessage(rules: readonly StreamRule[], stopped: AssistantMessage): CustomMessage {
  const isKept = rules.every(({ contextMode }) => contextMode === "keep");
  const what = rules.length === 1 ? "a rule" : "rules";
  const parts = isKept
    ? [
        `Your answer was stopped because it broke ${what}. This is what you had written:`,
        element("partial-answer", describe(stopped)),
        ...rules.map(describeRule),
        "Go on from there, and mend what broke the rule. No call of a tool in it was run.",
      ]
    : [
        `Your answer was stopped because it broke ${what}, and was removed. None of its tool calls was run.`,
        ...rules.map(describeRule),
        "Answer again and follow this.",
      ];
  const details: RuleMessageDetails = { rules: rules.map(toRuleInfo) };
  return {
    role: "custom",
    customType: ruleMessageType,
    content: parts.join("\n\n"),
    display: true,
    details,
    timestamp: Date.now(),
  };
}

/** What is told of a rule. */
export function toRuleInfo({ name, description, path }: StreamRule): RuleMessageDetails["rules"][number] {
  return { name, ...(description === undefined ? {} : { description }), path };
}

function describeRule({ name, content }: StreamRule): string {
  return element("rule", content.trim(), ` name=${JSON.stringify(name)}`);
}

/** What an answer says: its texts, and the calls as far as they were written. */
function describe({ content }: AssistantMessage): string {
  return content
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      return block.type === "toolCall" ? [`(Call of ${block.name} with ${JSON.stringify(block.arguments)})`] : [];
    })
    .join("\n\n");
}

/** Text in an element that it cannot end by itself. */
function element(tag: string, text: string, attributes = ""): string {
  return `<${tag}${attributes}>\n${text.replaceAll(`</${tag}>`, `<\\/${tag}>`)}\n</${tag}>`;
}
