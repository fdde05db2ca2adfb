import { type ThinkingLevel, thinkingLevels } from "../types.ts";

/**
 * The effort to send for each thinking level. null: the model does not support this level. A level without an effort has the default one of
 * its api.
 */
export type LevelEfforts = Partial<Record<ThinkingLevel, string | null>>;

/** The level itself if the model supports it, otherwise the nearest one that it supports; of two equally near levels, the stronger. */
export function supportedLevel(level: ThinkingLevel, efforts: LevelEfforts = {}): ThinkingLevel {
  const at = thinkingLevels.indexOf(level);
  const distance = (other: ThinkingLevel) => Math.abs(thinkingLevels.indexOf(other) - at);
  const supported = thinkingLevels.filter((other) => efforts[other] !== null);
  return supported.reduce((best, other) => (distance(other) <= distance(best) ? other : best), supported[0] ?? level);
}
