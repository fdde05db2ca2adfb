import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a program is started with. */
export interface Workplace {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** The provider that `models.json` names. */
export interface BenchProvider {
  url: string;
  api: string;
  /** Of the model, in tokens. Default: a million. */
  contextWindow?: number;
}

/** Gives `work` a temporary folder. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Folders for the starts of one program: home, agent folder, working folder, and a temporary folder, so that its compile cache is its own.
 *
 * @param provider - Serves the default model, as `models.json` names it. Default: there is no model.
 */
export async function makeWorkplace(root: string, name: string, provider?: BenchProvider): Promise<Workplace> {
  const [home, agentDir, cwd, temporary] = ["home", "agent", "work", "tmp"].map((part) => join(root, name, part)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, agentDir, cwd, temporary]) await mkdir(folder, { recursive: true });
  if (provider) {
    await writeFile(join(agentDir, "models.json"), JSON.stringify({ providers: { bench: providerConfig(provider) } }));
    await writeFile(join(agentDir, "settings.json"), JSON.stringify({ defaultProvider: "bench", defaultModel: "bench" }));
  }
  return { cwd, env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary, PI_CODING_AGENT_DIR: agentDir } };
}

/** With every field, since older agents want them all. */
function providerConfig({ url, api, contextWindow = 1_000_000 }: BenchProvider): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "bench", name: "bench", reasoning: false, input: ["text"], contextWindow, maxTokens: 8192, cost };
  return { baseUrl: api === "openai-completions" ? `${url}/v1` : url, api, apiKey: "not-a-key", models: [model] };
}
