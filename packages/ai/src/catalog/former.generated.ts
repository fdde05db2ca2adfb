// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: bb6ae1d5232cd398ff66e56999216007615419b67f5046c901b62c8dae3a0794
import type { ModelRows } from "./model-rows.ts";

/** Models that the catalog does not list any more, by provider. */
export const models: Readonly<Record<string, ModelRows>> = {
  anthropic: [{"api":"anthropic-messages","provider":"anthropic","baseUrl":"https://api.anthropic.com"}, [
  ["claude-mythos-5-1","Claude Mythos 5.1","ri",1000000,128000,[0,0,0,0]],
  ["claude-mythos-5","Claude Mythos 5","ri",1000000,128000,[0,0,0,0]],
  ["claude-opus-4-1","Claude Opus 4.1","ri",200000,32000,[15,75,1.5,18.75]],
  ["claude-opus-4","Claude Opus 4","ri",200000,32000,[15,75,1.5,18.75]],
  ["claude-sonnet-4","Claude Sonnet 4","ri",200000,64000,[3,15,0.3,3.75]],
  ["claude-3-7-sonnet","Claude Sonnet 3.7","ri",200000,64000,[3,15,0.3,3.75]],
  ["claude-3-opus","Claude Opus 3","i",200000,4096,[15,75,1.5,18.75]],
  ["claude-3-5-sonnet","Claude Sonnet 3.6","i",200000,8192,[3,15,0.3,3.75]],
  ["claude-3-sonnet","Claude Sonnet 3","i",200000,8192,[3,15,0.3,3.75]],
  ["claude-3-5-haiku","Claude Haiku 3.5","i",200000,8192,[0.8,4,0.08,1]],
  ["claude-3-haiku","Claude Haiku 3","i",200000,8192,[0.25,1.25,0.03,0.3]],
]],
  openai: [{"api":"openai-responses","provider":"openai","baseUrl":"https://api.openai.com/v1"}, [
  ["gpt-4","GPT-4","",8192,8192,[30,60,30,0]],
  ["gpt-3.5-turbo","GPT-3.5 Turbo","",16385,4096,[0.5,1.5,0.5,0]],
  ["gpt-5-chat","GPT-5 Chat","i",128000,16384,[1.25,10,0.125,0]],
  ["chatgpt-4o-latest","ChatGPT-4o","i",128000,16384,[5,15,5,0]],
  ["o4-mini","o4 Mini","ri",200000,100000,[1.1,4.4,0.275,0]],
  ["o3-pro","o3 Pro","ri",200000,100000,[20,80,20,0]],
  ["o3","o3","ri",200000,100000,[2,8,0.5,0]],
  ["o3-mini","o3 Mini","r",200000,100000,[1.1,4.4,0.55,0]],
  ["o1-pro","o1 Pro","ri",200000,100000,[150,600,150,0]],
  ["o1","o1","ri",200000,100000,[15,60,7.5,0]],
  ["o1-preview","o1 Preview","r",128000,32768,[15,60,7.5,0]],
  ["o1-mini","o1 Mini","r",128000,65536,[1.1,4.4,0.55,0]],
  ["gpt-5.2-codex","GPT-5.2 Codex","ri",400000,128000,[1.75,14,0.175,0]],
  ["gpt-4.5-preview","GPT-4.5 Preview","i",128000,16384,[75,150,37.5,0]],
  ["gpt-4o","GPT-4o","i",128000,16384,[2.5,10,1.25,0]],
  ["gpt-4-turbo","GPT-4 Turbo","i",128000,4096,[10,30,10,0]],
  ["gpt-4o-mini","GPT-4o Mini","i",128000,16384,[0.15,0.6,0.075,0]],
]],
  google: [{"api":"google-generative-ai","provider":"google","baseUrl":"https://generativelanguage.googleapis.com/v1beta"}, [
  ["gemini-2.0-flash","Gemini 2.0 Flash","i",1048576,8192,[0.1,0.4,0.025,0]],
  ["gemini-2.0-flash-lite","Gemini 2.0 Flash-Lite","i",1048576,8192,[0.075,0.3,0.075,0]],
  ["gemini-1.5-pro","Gemini 1.5 Pro","i",2097152,8192,[1.25,5,1.25,0]],
  ["gemini-1.5-flash","Gemini 1.5 Flash","i",1048576,8192,[0.075,0.3,0.01875,0]],
  ["gemini-3-pro-preview","Gemini 3 Pro","ri",1048576,65536,[2,12,0.2,0]],
  ["gemini-3-flash-preview","Gemini 3 Flash","ri",1048576,65536,[0.5,3,0.05,0]],
  ["gemini-flash-latest","Gemini 2.5 Flash","ri",1048576,65536,[0,0,0,0]],
  ["gemini-2.5-flash-lite-preview","Gemini 2.5 Flash Lite","ri",65536,32768,[0.1,0.4,0.01,0]],
]],
  xai: [{"api":"openai-completions","provider":"xai","baseUrl":"https://api.x.ai/v1"}, [
  ["grok-4","Grok 4","r",256000,128000,[3,15,0.75,0]],
  ["grok-3-beta","Grok 3","",131072,131072,[3,15,0.75,0]],
  ["grok-3-mini-beta","Grok 3 Mini","r",131072,131072,[0.3,0.5,0.075,0]],
  ["grok-2","Grok 2","",131072,131072,[2,10,2,0]],
  ["grok-2-vision","Grok 2 Vision","i",32768,32768,[0,0,0,0]],
]],
  deepseek: [{"api":"openai-completions","provider":"deepseek","baseUrl":"https://api.deepseek.com/v1"}, [
  ["deepseek-v4-flash","DeepSeek V4 Flash","r",1048576,393216,[0.22,0.66,0.007,0]],
  ["deepseek-v4-flash-vision-exp","DeepSeek V4 Flash Vision","i",1048576,393216,[0.22,0.66,0.007,0]],
  ["deepseek-chat","DeepSeek V3.2","",128000,64000,[0.27,1.1,0.07,0]],
  ["deepseek-reasoner","DeepSeek V3.2","r",163840,65536,[0.55,2.19,0.14,0]],
]],
};
