// Made by scripts/generate-catalog.ts from @pydantic/genai-prices 0.1.8 and llm-zoo 1.37.0. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: 127cee53511045db1d88d29ece44f45f0f629a59eb6a09269f17c04fbbb44232
import type { ModelRows } from "./model-rows.ts";

/** The models of google. */
export const models: ModelRows = [{"api":"google-generative-ai","provider":"google","baseUrl":"https://generativelanguage.googleapis.com/v1beta"}, [
  ["gemini-4-carbon","Gemini 4 Carbon","ri",1048576,65536,[4,20,0.2,0]],
  ["gemini-4-argon","Gemini 4 Argon","ri",1048576,65536,[4,20,0.2,0]],
  ["gemini-3.8-flash","Gemini 3.8 Flash","ri",1048576,65536,[0.75,3.75,0.075,0]],
  ["gemini-3.7-flash","Gemini 3.7 Flash","ri",1048576,65536,[0.75,3.75,0.075,0]],
  ["gemini-3.6-flash","Gemini 3.6 Flash","ri",1048576,65536,[0.75,3.75,0.075,0]],
  ["gemini-3.5-flash-lite","Gemini 3.5 Flash Lite","ri",1048576,65536,[0.3,2.5,0.03,0]],
  ["gemini-3.5-flash","Gemini 3.5 Flash","ri",1048576,65536,[1.5,9,0.15,0]],
  ["gemini-3.1-pro-preview","Gemini 3.1 Pro Preview","ri",1048576,65536,[2,12,0.2,0]],
  ["gemini-3.1-flash-lite","Gemini 3.1 Flash Lite","ri",1048576,65536,[0.25,1.5,0.025,0]],
  ["gemini-2.5-pro","Gemini 2.5 Pro","ri",1048576,65536,[1.25,10,0.125,0]],
  ["gemini-2.5-flash-lite","Gemini 2.5 Flash Lite","ri",1048576,65536,[0.1,0.4,0.01,0]],
  ["gemini-2.5-flash","Gemini 2.5 Flash","ri",1048576,65536,[0.3,2.5,0.03,0]],
]];
