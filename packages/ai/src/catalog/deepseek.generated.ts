// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: f5ee92919102cbb478e7e3361ad3bd69e7e858711f5cf042cb02ee07db56d707
import type { ModelRows } from "./model-rows.ts";

/** The models of deepseek. */
export const models: ModelRows = [{"api":"openai-completions","provider":"deepseek","baseUrl":"https://api.deepseek.com/v1"}, [
  ["deepseek-v4-pro","DeepSeek V4 Pro","r",1048576,393216,[0.66,1.98,0.022,0]],
  ["deepseek-flash","DeepSeek V4.1 Flash","ri",1048576,393216,[0.15,0.6,0.003,0]],
]];
