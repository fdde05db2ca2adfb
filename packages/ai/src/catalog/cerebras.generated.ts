// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 9f9987536d5561e0cc2f2b88dd7cb5be418c5e610c29919be3175546abe96004
import type { ModelRows } from "./model-rows.ts";

/** The models of cerebras. */
export const models: ModelRows = [{"api":"openai-completions","provider":"cerebras","baseUrl":"https://api.cerebras.ai/v1"}, [
  ["gpt-oss-120b","GPT-OSS 120B","r",131072,32768,[0.35,0.75,0.35,0]],
  ["qwen-3.8-27b","Qwen3.8 27B","ri",65536,32768,[0.99,1.49,0.99,0]],
]];
