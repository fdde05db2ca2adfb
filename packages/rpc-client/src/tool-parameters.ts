/** What a tool of this program takes, as its author writes it down. */
import type { JsonSchema, StandardSchema, ToolParameters } from "@pikit/coding-agent/protocol";

export type { JsonSchema, StandardSchema, ToolParameters };
