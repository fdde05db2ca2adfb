/** Environment variables for the API key of each provider, in the order of precedence. */
const keyVariables: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  xai: ["XAI_API_KEY"],
  groq: ["GROQ_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  together: ["TOGETHER_API_KEY"],
  "azure-openai": ["AZURE_OPENAI_API_KEY"],
};

/** The environment variables that can hold the provider's key; empty for providers without one. */
export function keyVariablesOf(provider: string): readonly string[] {
  return Object.hasOwn(keyVariables, provider) ? (keyVariables[provider] ?? []) : [];
}

/** The environment variable that gives the provider's key: the first that is not empty. */
export function usedKeyVariable(provider: string): string | undefined {
  return keyVariablesOf(provider).find((name) => process.env[name]?.trim());
}

/** The provider's key from the environment; an empty variable counts as unset. */
export function environmentKey(provider: string): string | undefined {
  const variable = usedKeyVariable(provider);
  return variable === undefined ? undefined : process.env[variable]?.trim();
}
