// Writes the model catalog of @pikit/ai: node scripts/generate-catalog.ts (Node 22.18 or newer, from any folder).
// The data are two pinned development packages, @pydantic/genai-prices (prices) and llm-zoo (limits and abilities), and what is written
// by hand in scripts/catalog/: sources.ts (providers, and single models) and families.ts (generations, open weights).
import { writeFileSync } from "node:fs";
import { renderCatalog } from "./catalog/render.ts";

const folder = new URL("../packages/ai/src/catalog/", import.meta.url);

for (const { name, text, models } of renderCatalog()) {
  writeFileSync(new URL(name, folder), text);
  console.log(`${name}: ${models.length} models, ${text.length} bytes`);
}
