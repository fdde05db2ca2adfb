export type { AnswerBlock, AnswerOptions, Wire } from "./answer.ts";
export { anthropic } from "./anthropic.ts";
export { assertLinear, cpuMs, watchEventLoop } from "./cpu-time.ts";
export { google } from "./google.ts";
export { openai, openaiDone } from "./openai.ts";
export { openaiResponses } from "./openai-responses.ts";
export { type ProviderServer, type RecordedRequest, type Responder, startProviderServer } from "./provider-server.ts";
export { byteByByte, cut, everyCut, keepOpen, type ProviderResponse, type ResponseStep } from "./response.ts";
export { until } from "./until.ts";
