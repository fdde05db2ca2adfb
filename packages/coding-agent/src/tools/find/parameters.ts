import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

/** The default of `limit`. */
export const defaultLimit = 1000;

export const findParameters = Type.Object({
  pattern: Type.String({
    minLength: 1,
    description: 'Glob. Without "/" for names anywhere below: "*.ts"; with "/" for paths relative to path: "src/**/*.spec.ts"',
  }),
  path: Type.Optional(
    Type.String({ description: "Folder to search, absolute or relative to the working folder (default: the working folder)" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most paths to return (default ${defaultLimit})` })),
});

export type FindParameters = Static<typeof findParameters>;
