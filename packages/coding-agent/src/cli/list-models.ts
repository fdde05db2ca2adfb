import { agentFolder } from "../config/paths.ts";
import { Credentials } from "../models/credentials.ts";
import { isDemo, ModelRegistry } from "../models/model-registry.ts";
import type { Arguments } from "./args.ts";

/** Runs `pi --list-models [search]`: prints one model per line, `provider/id` first. */
export async function listModels(options: Arguments["options"], search: readonly string[]): Promise<number> {
  const agentDir = agentFolder();
  const registry = new ModelRegistry({
    agentDir,
    credentials: new Credentials(agentDir, { apiKey: options["api-key"] }),
    cwd: process.cwd(),
  });
  const words = search.map((word) => word.toLowerCase());
  const usable = [...(await registry.available()), ...(await registry.local())];
  const models = (usable.every(isDemo) ? usable : usable.filter((model) => !isDemo(model))).filter((model) => {
    const text = `${model.provider}/${model.id} ${model.name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (models.length === 0) {
    process.stderr.write("No model matches. The models of a provider are listed if its key is set.\n");
    return 1;
  }
  const rows = models.map((model) => [`${model.provider}/${model.id}`, model.name] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  process.stdout.write(`${rows.map(([name, title]) => `${name.padEnd(width)}  ${title}`).join("\n")}\n`);
  return 0;
}
