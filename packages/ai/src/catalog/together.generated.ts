// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 5ae646602a9c8bc7d09872503c4787594704ce0711d7723e7d86b422f1085963
import type { ModelRows } from "./model-rows.ts";

/** The models of together. */
export const models: ModelRows = [{"api":"openai-completions","provider":"together","baseUrl":"https://api.together.xyz/v1"}, [
  ["zai-org/GLM-5.3","GLM 5.3","r",1048575,262144,[1.4,4.4,0.26,0]],
  ["zai-org/GLM-5.3-Flash","GLM 5.3 Flash","ri",1000000,131072,[0.15,0.5,0.15,0]],
  ["zai-org/GLM-5.2","GLM 5.2","r",512000,131072,[1.4,4.4,0.26,0]],
  ["moonshotai/Kimi-K3","Kimi K3","ri",1048576,1048576,[3,15,0.3,0]],
  ["moonshotai/Kimi-K2.7-Code","Kimi K2.7 Code","r",262144,64000,[0.95,4,0.19,0]],
  ["deepseek-ai/DeepSeek-V4.1-Flash","DeepSeek V4.1 Flash","ri",1048576,393216,[0.3,1.2,0.006,0]],
  ["deepseek-ai/DeepSeek-V4-Pro-0813","DeepSeek V4 Pro","r",1048576,393216,[1.32,3.96,0.13,0]],
  ["MiniMaxAI/MiniMax-M3","MiniMax M3","ri",524288,512000,[0.3,1.2,0.3,0]],
  ["Qwen/Qwen3.6-Plus","Qwen3.6 Plus","r",1000000,65536,[0.5,3,0.5,0]],
  ["nvidia/nemotron-3-ultra-550b-a55b","Nemotron 3 Ultra","r",512288,128000,[0.6,3.6,0.2,0]],
  ["openai/gpt-oss-120b","GPT-OSS 120B","r",131072,32768,[0.15,0.6,0.15,0]],
  ["openai/gpt-oss-20b","GPT-OSS 20B","r",131072,32768,[0.05,0.2,0.05,0]],
  ["google/gemma-4-31B-it","Gemma 4 31B","ri",262144,32768,[0.39,0.97,0.39,0]],
  ["meta-llama/Llama-3.3-70B-Instruct-Turbo","Llama 3.3 70B Turbo","",131072,8192,[0.88,0.88,0.88,0]],
]];
