import type { TObject } from "@sinclair/typebox";
import { commands } from "./commands.ts";
import type { CommandName } from "./dispatch.ts";
import { HostToolResultSchema, HostToolUpdateSchema } from "./frames.ts";
import { type Shape, toShape } from "./shape.ts";

/** The shapes of the parameters of all commands. */
export const paramShapes = Object.fromEntries(
  Object.entries(commands).map(([name, { params }]: [string, { params: TObject }]) => [name, toShape(params)]),
) as Record<CommandName, Shape>;

/** The shapes of the frames of a host about a tool call. */
export const hostToolFrameShapes: Readonly<Record<"host_tool_update" | "host_tool_result", Shape>> = {
  host_tool_update: toShape(HostToolUpdateSchema),
  host_tool_result: toShape(HostToolResultSchema),
};
