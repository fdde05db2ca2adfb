/** A PNG of one pixel. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** The same image for a model. */
export const pngContent = { type: "image", mimeType: "image/png", data: png.toString("base64") } as const;
