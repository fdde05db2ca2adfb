/**
 * The names of the semantic conventions for generative AI and for MCP that are used here. They are still in development, and the package of
 * constants marks them as deprecated, because they have moved to their own repository; so they are written here.
 * Source: github.com/open-telemetry/semantic-conventions-genai.
 */
export const names = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  agentVersion: "gen_ai.agent.version",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  requestStream: "gen_ai.request.stream",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  mcpMethod: "mcp.method.name",
  networkTransport: "network.transport",
  serverAddress: "server.address",
  serverPort: "server.port",
  executable: "process.executable.name",
  exitCode: "process.exit.code",
  commandArguments: "process.command_args",
  errorType: "error.type",
  /** Names without a convention. */
  purpose: "pikit.purpose",
  thinkingLevel: "pikit.thinking_level",
  cost: "pikit.cost_usd",
  turns: "pikit.turns",
  toolCalls: "pikit.tool_calls",
  outcome: "pikit.outcome",
  mcpServer: "pikit.mcp.server",
  compactionReason: "pikit.compaction.reason",
  tokensBefore: "pikit.compaction.tokens_before",
  tokensAfter: "pikit.compaction.tokens_after",
  approvalAnswer: "pikit.approval.answer",
  riskTier: "pikit.risk_tier",
} as const;

/** The values of `gen_ai.provider.name` that the conventions define, by our names of providers. */
const providerNames: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "azure-openai": "azure.ai.openai",
  "amazon-bedrock": "aws.bedrock",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** The value of `gen_ai.provider.name` for one of our providers. */
export function providerNameOf(provider: string): string {
  return Object.hasOwn(providerNames, provider) ? (providerNames[provider] ?? provider) : provider;
}
