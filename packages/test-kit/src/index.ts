export type { AnswerBlock, AnswerOptions, Wire } from "./answer.ts";
export { anthropic } from "./anthropic.ts";
export { openai, openaiDone } from "./openai.ts";
export { type ProviderServer, type RecordedRequest, type Responder, startProviderServer } from "./provider-server.ts";
export { byteByByte, cut, everyCut, keepOpen, type ProviderResponse, type ResponseStep } from "./response.ts";
