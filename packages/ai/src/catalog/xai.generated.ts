// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 3bdf2fa17828ef2de76f7234667f99f8bed3ea48556b61a648315b296d0d720f
import type { ModelRows } from "./model-rows.ts";

/** The models of xai. */
export const models: ModelRows = [{"api":"openai-completions","provider":"xai","baseUrl":"https://api.x.ai/v1"}, [
  ["grok-build-0.1","Grok Build 0.1","ri",256000,256000,[1,2,0.2,0]],
  ["grok-4.7","Grok 4.7","ri",500000,128000,[2,6,0.5,0]],
  ["grok-4.6","Grok 4.6","ri",500000,128000,[2,6,0.5,0]],
  ["grok-4.5","Grok 4.5","ri",500000,128000,[2,6,0.3,0]],
  ["grok-4.3","Grok 4.3","ri",1000000,128000,[1.25,2.5,0.2,0]],
]];
