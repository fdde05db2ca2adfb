/** The types for the parameter schema of a tool that runs in this program. */
import type { JsonSchema, StandardSchema, ToolParameters } from "@pikit/coding-agent/protocol";

export type { JsonSchema, StandardSchema, ToolParameters };
