import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ModelRow } from "../../packages/ai/src/catalog/model-rows.ts";
import type { Model } from "../../packages/ai/src/types.ts";
import { buildCatalog } from "./build.ts";
import { formerModels } from "./former.ts";
import { sources } from "./sources.ts";

/** A file of the catalog as it should be. */
export interface GeneratedFile {
  /** For example `groq.generated.ts`. */
  name: string;
  text: string;
  models: readonly Model[];
}

/** Makes every generated file of the catalog, without writing any. */
export function renderCatalog(): GeneratedFile[] {
  const catalog = buildCatalog(sources);
  const listed = [...catalog].map(([provider, models]) => ({
    name: `${provider}.generated.ts`,
    text: render(models),
    models,
  }));
  const former = sources
    .map((source) => formerModels(source, catalog.get(source.provider) ?? []))
    .filter(({ length }) => length > 0);
  return [...listed, { name: "former.generated.ts", text: renderFormer(former), models: former.flat() }];
}

/**
 * The hash that the header of a generated file must hold, from the file's text below its header.
 *
 * @internal Exported for its tests.
 */
export function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Splits a generated file into the hash that its header names and the text that it is for; undefined for a file without one.
 *
 * @internal Exported for its tests.
 */
export function splitGenerated(text: string): { hash: string; body: string } | undefined {
  const match = /^\/\/ .*\n\/\/ Content hash: ([0-9a-f]{64})\n([\s\S]*)$/.exec(text);
  return match?.[1] !== undefined && match[2] !== undefined ? { hash: match[1], body: match[2] } : undefined;
}

function render(models: readonly Model[]): string {
  return withHeader(`import type { ModelRows } from "./model-rows.ts";

/** The models of ${models[0]?.provider}. */
export const models: ModelRows = ${renderModels(models)};
`);
}

function renderFormer(providers: readonly (readonly Model[])[]): string {
  const lists = providers.map((models) => `  ${models[0]?.provider}: ${renderModels(models)},\n`).join("");
  return withHeader(`import type { ModelRows } from "./model-rows.ts";

/** Models that the catalog does not list any more, by provider. */
export const models: Readonly<Record<string, ModelRows>> = {
${lists}};
`);
}

function renderModels(models: readonly Model[]): string {
  const { api, provider, baseUrl } = models[0] as Model;
  const rows = models.map((model) => `  ${JSON.stringify(toRow(model))},\n`).join("");
  return `[${JSON.stringify({ api, provider, baseUrl })}, [\n${rows}]]`;
}

function withHeader(body: string): string {
  const header = `// Made by scripts/generate-catalog.ts from ${dataVersions()}. Do not edit it: change scripts/catalog/ and run the script.
// Content hash: ${contentHash(body)}
`;
  return header + body;
}

function toRow({ id, name, reasoning, input, contextWindow, maxTokens, cost, compat }: Model): ModelRow {
  const abilities = `${reasoning ? "r" : ""}${input.includes("image") ? "i" : ""}` as ModelRow[2];
  const prices = [cost.input, cost.output, cost.cacheRead, cost.cacheWrite] as const;
  return [id, name, abilities, contextWindow, maxTokens, prices, ...(compat ? ([compat] as const) : ([] as const))];
}

function dataVersions(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return ["@pydantic/genai-prices", "llm-zoo"].map((name) => `${name} ${manifest.devDependencies[name]}`).join(" and ");
}
