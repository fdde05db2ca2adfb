// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: b3e0658f6f57c171f5edba07125b233fc9a9d1a38ed04e8509327ef68b6c49d9
import type { ModelRows } from "./model-rows.ts";

/** The models of mistral. */
export const models: ModelRows = [{"api":"openai-completions","provider":"mistral","baseUrl":"https://api.mistral.ai/v1"}, [
  ["mistral-large-4","Mistral Large 4","ri",524288,262144,[1.36,4.18,0.14,0]],
  ["mistral-medium-3-5","Mistral Medium 3.5","ri",262144,262144,[1.5,7.5,0.15,0]],
  ["mistral-small-2603","Mistral Small 4","ri",262144,262144,[0.15,0.6,0.015,0]],
  ["mistral-large-2512","Mistral Large 3","i",262144,262144,[0.5,1.5,0.05,0]],
  ["ministral-14b-2512","Ministral 3 14B","i",262144,262144,[0.2,0.2,0.02,0]],
  ["ministral-8b-2512","Ministral 3 8B","i",262144,262144,[0.15,0.15,0.015,0]],
  ["ministral-3b-2512","Ministral 3 3B","i",131072,131072,[0.1,0.1,0.01,0]],
  ["codestral-2508","Codestral 2508","",128000,128000,[0.3,0.9,0.03,0]],
]];
