// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 130898f2bad1f6ac8221aef7f092799b9c575a71e5c3ec6f29e13000b8c2fe29
import type { ModelRows } from "./model-rows.ts";

/** The models of groq. */
export const models: ModelRows = [{"api":"openai-completions","provider":"groq","baseUrl":"https://api.groq.com/openai/v1"}, [
  ["openai/gpt-oss-120b","GPT-OSS 120B","r",131072,65536,[0.15,0.6,0.075,0]],
  ["openai/gpt-oss-20b","GPT-OSS 20B","r",131072,65536,[0.075,0.3,0.0375,0]],
  ["qwen/qwen3.8-27b","Qwen3.8 27B","ri",131042,16384,[0.8,4,0.4,0]],
  ["qwen/qwen3.6-27b","Qwen3.6 27B","ri",131072,32768,[0.6,3,0.6,0]],
  ["llama-3.3-70b-versatile","Llama 3.3 70B Versatile","",131072,32768,[0.59,0.79,0.59,0]],
  ["llama-3.1-8b-instant","Llama 3.1 8B Instant","",131072,131072,[0.05,0.08,0.05,0]],
]];
