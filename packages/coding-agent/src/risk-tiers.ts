/** The risk tiers of tool calls, in ascending order. */
export const riskTiers = ["read", "write", "execute", "confirm_required"] as const;

/**
 * - `read`: reads files
 * - `write`: changes files inside the working folder
 * - `execute`: runs programs
 * - `confirm_required`: runs or changes something that the user should review first
 */
export type RiskTier = (typeof riskTiers)[number];
