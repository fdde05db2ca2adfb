// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 22cd8b78e681d8a76db1a57158dd584ad625cd80152790c457ca50014c67de13
import { toModels } from "./model-rows.ts";

/** The models of cerebras. */
export const models = toModels({"api":"openai-completions","provider":"cerebras","baseUrl":"https://api.cerebras.ai/v1"}, [
  ["gpt-oss-120b","GPT-OSS 120B","r",131072,32768,[0.35,0.75,0.35,0]],
  ["qwen-3.8-27b","Qwen3.8 27B","ri",65536,32768,[0.99,1.49,0.99,0]],
]);
