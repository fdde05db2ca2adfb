// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: ff7b34d58fecaf0b186fa79d3493c975766e8ae1aa21867b92c6561840bc47f4
import type { ModelRows } from "./model-rows.ts";

/** The models of anthropic. */
export const models: ModelRows = [{"api":"anthropic-messages","provider":"anthropic","baseUrl":"https://api.anthropic.com"}, [
  ["claude-sonnet-5-5","Claude Sonnet 5.5","ri",1000000,128000,[2,10,0.1,2.5],{"disableThinking":false}],
  ["claude-sonnet-5","Claude Sonnet 5","ri",1000000,128000,[2,10,0.2,2.5]],
  ["claude-sonnet-4-6","Claude Sonnet 4.6","ri",1000000,64000,[3,15,0.3,3.75]],
  ["claude-sonnet-4-5","Claude Sonnet 4.5","ri",200000,64000,[3,15,0.3,3.75]],
  ["claude-opus-5-5","Claude Opus 5.5","ri",1000000,128000,[4,20,0.2,5],{"disableThinking":false}],
  ["claude-opus-5","Claude Opus 5","ri",1000000,128000,[5,25,0.5,6.25]],
  ["claude-opus-4-8","Claude Opus 4.8","ri",1000000,128000,[5,25,0.5,6.25]],
  ["claude-opus-4-7","Claude Opus 4.7","ri",1000000,128000,[5,25,0.5,6.25]],
  ["claude-opus-4-6","Claude Opus 4.6","ri",1000000,128000,[5,25,0.5,6.25]],
  ["claude-opus-4-5","Claude Opus 4.5","ri",200000,64000,[5,25,0.5,6.25]],
  ["claude-haiku-5-5","Claude Haiku 5.5","ri",1000000,128000,[0.1,0.5,0.01,0.125]],
  ["claude-haiku-4-5","Claude Haiku 4.5","ri",200000,64000,[1,5,0.1,1.25]],
  ["claude-fable-5-1","Claude Fable 5.1","ri",1000000,128000,[10,50,0.25,12.5]],
  ["claude-fable-5","Claude Fable 5","ri",1000000,128000,[10,50,1,12.5]],
]];
