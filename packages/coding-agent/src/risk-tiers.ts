/** How far a tool call may reach, in rising order. */
export const riskTiers = ["read", "write", "execute", "confirm_required"] as const;

/**
 * - `read`: looks at files
 * - `write`: changes files inside the working folder
 * - `execute`: runs something
 * - `confirm_required`: runs or changes something that a person should see first
 */
export type RiskTier = (typeof riskTiers)[number];
