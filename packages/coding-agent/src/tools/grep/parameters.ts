import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

/** The default of `limit`. */
export const defaultLimit = 100;
/** Maximum length of a shown line, in UTF-16 units; otherwise minified code would fill the result. */
export const maxLineLength = 500;

export const grepParameters = Type.Object({
  pattern: Type.String({
    minLength: 1,
    description: "Regular expression, tried on one line at a time; without look-around and backreferences",
  }),
  path: Type.Optional(
    Type.String({
      description: "File or folder to search, absolute or relative to the working folder (default: the working folder)",
    }),
  ),
  glob: Type.Optional(
    Type.String({
      description: 'Which files of the folder to search: "*.ts", "src/**/*.{js,ts}" (relative to path); "!*.md" for all others',
    }),
  ),
  ignoreCase: Type.Optional(Type.Boolean({ description: "Take upper and lower case as the same (default false)" })),
  literal: Type.Optional(Type.Boolean({ description: "Take the pattern as plain text (default false)" })),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: "Lines to show before and after each match (default 0)" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most matching lines to return (default ${defaultLimit})` })),
});

export type GrepParameters = Static<typeof grepParameters>;
