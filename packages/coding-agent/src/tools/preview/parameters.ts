import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export const previewParameters = Type.Object({
  path: Type.Optional(Type.String({ description: "Folder to serve, or a page in it; inside the working folder" })),
  port: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 65535, description: "Port on this machine, 1 to 65535 (default: any that is free)" }),
  ),
  stop: Type.Optional(Type.Boolean({ description: "true stops the preview that is running; give nothing else then" })),
});

export type PreviewParameters = Static<typeof previewParameters>;
