import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

/** The default of `limit`. */
export const defaultLimit = 500;

export const lsParameters = Type.Object({
  path: Type.Optional(
    Type.String({ description: "Folder to list, absolute or relative to the working folder (default: the working folder)" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most entries to return (default ${defaultLimit})` })),
});

export type LsParameters = Static<typeof lsParameters>;
