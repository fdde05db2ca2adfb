// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: cc80dbe12468298067da714246844b5070731711dfae21b312fe3679848c90b4
import type { ModelRows } from "./model-rows.ts";

/** The models of azure-openai. */
export const models: ModelRows = [{"api":"openai-responses","provider":"azure-openai","baseUrl":""}, [
  ["gpt-6.1-terra","GPT-6.1 Terra","ri",1050000,128000,[1,5,0.05,1.25]],
  ["gpt-6.1-sol","GPT-6.1 Sol","ri",1050000,128000,[2,10,0.1,2.5]],
  ["gpt-6-sol","GPT-6 Sol","ri",1050000,128000,[2,10,0.2,2.5]],
  ["gpt-6-luna","GPT-6 Luna","ri",1050000,128000,[0.1,0.5,0.01,0.125]],
  ["gpt-6-astra","GPT-6 Astra","ri",1050000,128000,[10,50,1,12.5]],
  ["gpt-5.6-terra","GPT-5.6 Terra","ri",1050000,128000,[2,12,0.2,2.5]],
  ["gpt-5.6-sol","GPT-5.6 Sol","ri",1050000,128000,[4,20,0.4,5]],
  ["gpt-5.6-luna","GPT-5.6 Luna","ri",1050000,128000,[0.2,1.2,0.02,0.25]],
  ["gpt-5.5-pro","GPT-5.5 Pro","ri",1050000,128000,[30,180,30,0]],
  ["gpt-5.5","GPT-5.5","ri",1050000,128000,[5,30,0.5,0]],
  ["gpt-5.4-pro","GPT-5.4 Pro","ri",1050000,128000,[30,180,30,0]],
  ["gpt-5.4-nano","GPT-5.4 nano","ri",400000,128000,[0.2,1.25,0.02,0]],
  ["gpt-5.4-mini","GPT-5.4 mini","ri",400000,128000,[0.75,4.5,0.075,0]],
  ["gpt-5.4","GPT-5.4","ri",1050000,128000,[2.5,15,0.25,0]],
  ["gpt-5.3-codex","GPT-5.3-Codex","ri",400000,128000,[1.75,14,0.175,0]],
  ["gpt-5.2-pro","GPT-5.2 Pro","ri",400000,128000,[21,168,21,0]],
  ["gpt-5.2","GPT-5.2","ri",400000,128000,[1.75,14,0.175,0]],
  ["gpt-5.1","GPT-5.1","ri",400000,128000,[1.25,10,0.125,0]],
  ["gpt-5-pro","GPT-5 Pro","ri",400000,272000,[15,120,15,0]],
  ["gpt-5-nano","GPT-5 nano","ri",400000,128000,[0.05,0.4,0.005,0]],
  ["gpt-5-mini","GPT-5 mini","ri",400000,128000,[0.25,2,0.025,0]],
  ["gpt-5","GPT-5","ri",400000,128000,[1.25,10,0.125,0]],
  ["gpt-4.1-nano","GPT-4.1 Nano","i",1047576,32768,[0.1,0.4,0.025,0]],
  ["gpt-4.1-mini","GPT-4.1 Mini","i",1047576,32768,[0.4,1.6,0.1,0]],
  ["gpt-4.1","GPT-4.1","i",1047576,32768,[2,8,0.5,0]],
]];
