// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: adbdf07f96fe576a2c1d576a0be3e0e0e601e9a18d9635fd7b1124489e454b2d
import { toModels } from "./model-rows.ts";

/** The models of xai. */
export const models = toModels({"api":"openai-completions","provider":"xai","baseUrl":"https://api.x.ai/v1"}, [
  ["grok-build-0.1","Grok Build 0.1","ri",256000,256000,[1,2,0.2,0]],
  ["grok-4.7","Grok 4.7","ri",500000,128000,[2,6,0.5,0]],
  ["grok-4.6","Grok 4.6","ri",500000,128000,[2,6,0.5,0]],
  ["grok-4.5","Grok 4.5","ri",500000,128000,[2,6,0.3,0]],
  ["grok-4.3","Grok 4.3","ri",1000000,128000,[1.25,2.5,0.2,0]],
]);
