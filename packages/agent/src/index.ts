export { AgentError, isToolError, ToolError, type ToolErrorOptions } from "./errors.ts";
// All of types.ts is public, and declaration merging into CustomMessages needs the star.
export type * from "./types.ts";
