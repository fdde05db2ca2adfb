import { type Shape, toShape } from "../protocol/shape.ts";
import { SettingsSchema } from "./settings.ts";

/** The shape of `settings.json`. */
export const settingsShape: Shape = toShape(SettingsSchema);
