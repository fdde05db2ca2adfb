import type { Model } from "../../types.ts";
import { isHostOf, isLoopback, tryParseUrl } from "../../url.ts";
import { isAzure } from "../openai-azure.ts";
import { openaiEfforts } from "../openai-efforts.ts";
import type { OpenAICompat } from "./openai-compat.ts";

/** The known facts about one vendor or server. */
export interface Vendor {
  /** Provider ids of the vendor, in all spellings. */
  providers: readonly string[];
  /** Domains of its endpoints, to recognise endpoints under another provider id. */
  domains?: readonly string[];
  /** The default port of a local server. */
  localPort?: string;
  /** The differences from the API, which may depend on the model. */
  compat(modelId: string): Partial<OpenAICompat>;
}

/** Models of OpenRouter whose thinking cannot be switched off; they reject the effort `none`. */
const alwaysThinking = /^openai\/(?:o\d|gpt-oss|gpt-5(?!\.\d))|gemini-(?:2\.5-pro|3)|deepseek-r1|minimax-m|-thinking/;

const vendors: readonly Vendor[] = [
  {
    providers: ["openai"],
    domains: ["api.openai.com"],
    compat: (id) => ({
      developerRole: true,
      promptCacheKey: true,
      store: true,
      strictTools: true,
      longCache: /^gpt-(?:4\.1|[5-9])/.test(id),
      ...effortsOf(id),
    }),
  },
  {
    providers: ["openrouter"],
    domains: ["openrouter.ai"],
    compat: (id) => ({
      reasoningEffort: false,
      thinkingSwitch: "openrouter",
      efforts: ["minimal", "low", "medium", "high", "xhigh"],
      cacheMarkers: id.startsWith("anthropic/"),
      ...(!alwaysThinking.test(id) && { effortOff: "none" }),
    }),
  },
  {
    providers: ["xai"],
    domains: ["x.ai"],
    compat: (id) => xaiEfforts(id),
  },
  {
    providers: ["groq"],
    domains: ["groq.com"],
    compat: (id) => (id.includes("qwen") ? { efforts: ["default"], effortOff: "none" } : {}),
  },
  {
    providers: ["mistral"],
    domains: ["mistral.ai"],
    compat: () => ({
      maxTokensField: "max_tokens",
      reasoningEffort: false,
      toolCallIds: "alphanumeric9",
      assistantAfterToolResult: true,
      endsWithUser: true,
    }),
  },
  {
    providers: ["deepseek"],
    domains: ["deepseek.com"],
    compat: (id) => ({
      maxTokensField: "max_tokens",
      sendMaxTokens: true,
      // Models before V4 have a switch, but no effort.
      reasoningEffort: /v[4-9]|flash|pro/.test(id),
      efforts: ["low", "high"],
      thinkingSwitch: "thinking",
      requireReasoningContent: true,
    }),
  },
  {
    providers: ["together", "togetherai"],
    domains: ["together.xyz", "together.ai"],
    compat: (id) => ({ maxTokensField: "max_tokens", sendMaxTokens: true, reasoningEffort: id.includes("gpt-oss") }),
  },
  {
    providers: ["cerebras"],
    domains: ["cerebras.ai"],
    compat: (id) => ({ reasoningEffort: id.includes("gpt-oss") }),
  },
  {
    providers: ["zai", "z-ai", "zhipu"],
    domains: ["z.ai", "bigmodel.cn"],
    compat: () => ({ maxTokensField: "max_tokens", sendMaxTokens: true, reasoningEffort: false, thinkingSwitch: "zai" }),
  },
  {
    providers: ["moonshot", "moonshotai", "kimi"],
    domains: ["moonshot.ai", "moonshot.cn", "kimi.com"],
    compat: (id) => ({
      maxTokensField: "max_tokens",
      sendMaxTokens: true,
      reasoningEffort: false,
      thinkingSwitch: /kimi-k2(?:-thinking|-\d|$)|moonshot-v1/.test(id) ? "none" : "thinking",
      requireReasoningContent: true,
    }),
  },
  {
    providers: ["qwen", "dashscope", "alibaba"],
    domains: ["aliyuncs.com"],
    compat: () => ({ sendMaxTokens: true, reasoningEffort: false, thinkingSwitch: "enable_thinking" }),
  },
  {
    providers: ["chutes"],
    domains: ["chutes.ai"],
    compat: () => ({ maxTokensField: "max_tokens" }),
  },
  {
    providers: ["nvidia"],
    domains: ["nvidia.com"],
    compat: () => ({ maxTokensField: "max_tokens", sendMaxTokens: true }),
  },
  {
    providers: ["ollama"],
    localPort: "11434",
    compat: () => ({ maxTokensField: "max_tokens", effortOff: "none", emptyLengthIsOverflow: true }),
  },
  {
    providers: ["llama.cpp", "llama-cpp", "llamacpp", "llama_cpp"],
    compat: () => ({ maxTokensField: "max_tokens", namedToolChoice: false, emptyLengthIsOverflow: true }),
  },
  {
    providers: ["lmstudio", "lm-studio", "lm_studio"],
    localPort: "1234",
    compat: () => ({ maxTokensField: "max_tokens", namedToolChoice: false, emptyLengthIsOverflow: true }),
  },
  {
    providers: ["vllm"],
    compat: () => ({ maxTokensField: "max_tokens" }),
  },
];

/** The efforts of the Grok models; those without efforts reject the field. Source: xAI, "Reasoning". */
function xaiEfforts(modelId: string): Partial<OpenAICompat> {
  if (modelId.includes("grok-3-mini")) return { efforts: ["low", "high"] };
  if (/grok-4\.3(?!\d)/.test(modelId)) return { effortOff: "none" };
  return { reasoningEffort: /grok-(?:4\.[5-9](?!\d)|[5-9])/.test(modelId) };
}

/** Azure is recognised by `isAzure`, not by `domains`, because other code needs the same test. */
const azure: Vendor = {
  providers: ["azure-openai"],
  compat: (id) => ({ developerRole: true, promptCacheKey: true, strictTools: true, ...effortsOf(id) }),
};

/** The vendors that match a model's provider id and its host, if known. */
export function findVendors(model: Model): { byProvider: Vendor | undefined; byHost: Vendor | undefined } {
  const byProvider = [...vendors, azure].find(({ providers }) => providers.includes(model.provider));
  const url = tryParseUrl(model.baseUrl);
  return { byProvider, byHost: url && (isAzure({ provider: "", baseUrl: model.baseUrl }) ? azure : findByUrl(url)) };
}

function findByUrl({ hostname, port }: URL): Vendor | undefined {
  return vendors.find(
    ({ domains = [], localPort }) =>
      domains.some((domain) => isHostOf(hostname, domain)) || (localPort === port && port !== "" && isLoopback(hostname)),
  );
}

/** Efforts of OpenAI's models. For `off`, GPT-5.1 and later get `none`, GPT-5 gets `minimal`, and the o-series gets no effort. */
function effortsOf(modelId: string): Pick<OpenAICompat, "efforts" | "effortOff"> {
  const efforts = openaiEfforts(modelId);
  const effortOff = efforts.find((effort) => effort === "none" || effort === "minimal");
  return { efforts, ...(effortOff && { effortOff }) };
}
