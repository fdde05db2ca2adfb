import { type Shape, toShape } from "../protocol/shape.ts";
import { ModelSchema, OverrideSchema, ProviderSchema } from "./custom-provider-schemas.ts";

/** The shapes of the parts of `models.json`. */
export const customProviderShapes: Readonly<Record<"provider" | "model" | "override", Shape>> = {
  provider: toShape(ProviderSchema),
  model: toShape(ModelSchema),
  override: toShape(OverrideSchema),
};
