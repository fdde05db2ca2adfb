// Makes a run end with data instead of prose: the model has to call `final_answer`, whose arguments are checked against a schema, and an
// answer that does not fit is told to the model to be done again. The data are the `details` of the call's result, and are written to
// the file PI_FINAL_ANSWER_FILE if that is set. Change the schema to what your program wants to read.
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ExtensionApi, Type } from "@pikit/coding-agent";

const FinalAnswer = Type.Object({
  summary: Type.String({ minLength: 1, description: "What was found, in one or two sentences" }),
  severity: Type.Union([Type.Literal("none"), Type.Literal("minor"), Type.Literal("major")]),
  files: Type.Array(Type.String(), { description: "Paths that it is about" }),
});

const instruction = "When you have finished, call the tool final_answer once with the result. Do not give the result as text.";

export default function (pi: ExtensionApi): void {
  let isGiven = false;
  let isReminded = false;

  pi.registerTool({
    name: "final_answer",
    description: "Gives the result of the whole task. Call it once, at the end.",
    parameters: FinalAnswer,
    riskTier: "read",
    async execute(_toolCallId, answer, _signal, _onUpdate, { cwd }) {
      const path = process.env.PI_FINAL_ANSWER_FILE;
      if (path !== undefined) await writeFile(resolve(cwd, path), `${JSON.stringify(answer, null, 2)}\n`);
      isGiven = true;
      return {
        content: [{ type: "text", text: "Received. Nothing more is needed: end with one short sentence." }],
        details: answer,
      };
    },
  });

  pi.on("before_prompt", ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\n\n${instruction}` }));
  pi.on("agent_start", () => {
    isGiven = false;
    isReminded = false;
  });
  pi.on("turn_end", async ({ message, toolResults }) => {
    const isLast = message.role === "assistant" && message.stopReason === "stop" && toolResults.length === 0;
    if (!isLast || isGiven || isReminded) return;
    isReminded = true;
    await pi.sendMessage({ customType: "final-answer-missing", content: instruction }, { deliverAs: "followUp" });
  });
}
