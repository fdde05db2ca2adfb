import type { AssistantMessage } from "@pikit/ai";
import type { CustomMessage } from "../../protocol/messages.ts";
import type { StreamRule } from "./rule.ts";

/** The `customType` of messages with rules. */
export const ruleMessageType = "ttsr";

/** The details of a message with rules, for user interfaces and for reading the session later. */
export interface RuleMessageDetails {
  rules: { name: string; description?: string; path: string }[];
}

/** The message for the next attempt: the rules, and the partial answer if all rules have the mode `keep`. */
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

/** The part of a rule for events and details. */
export function toRuleInfo({ name, description, path }: StreamRule): RuleMessageDetails["rules"][number] {
  return { name, ...(description === undefined ? {} : { description }), path };
}

function describeRule({ name, content }: StreamRule): string {
  return element("rule", content.trim(), ` name=${JSON.stringify(name)}`);
}

/** The texts and tool calls of a partial answer. */
function describe({ content }: AssistantMessage): string {
  return content
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      return block.type === "toolCall" ? [`(Call of ${block.name} with ${JSON.stringify(block.arguments)})`] : [];
    })
    .join("\n\n");
}

/** An element with a text. The text cannot end the element. */
function element(tag: string, text: string, attributes = ""): string {
  return `<${tag}${attributes}>\n${text.replaceAll(`</${tag}>`, `<\\/${tag}>`)}\n</${tag}>`;
}
