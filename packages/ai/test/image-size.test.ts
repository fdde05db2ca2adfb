import { expect, test } from "vitest";
import { readImageSize } from "../src/image-size.ts";
import { imageFile } from "./helpers/images.ts";

test.each(["png", "gif", "jpeg", "webp", "webp-lossless", "webp-extended"] as const)("reads the size of a %s", (kind) => {
  expect(readImageSize(imageFile(kind, 1234, 777))).toEqual({ width: 1234, height: 777 });
});

test.each(["png", "gif", "jpeg", "webp", "webp-lossless", "webp-extended"] as const)(
  "knows no size of a %s that is cut",
  (kind) => {
    const bytes = Buffer.from(imageFile(kind, 1234, 777), "base64");
    for (let length = 0; length < bytes.length; length += 1) {
      const size = readImageSize(bytes.subarray(0, length).toString("base64"));
      if (size) expect(size).toEqual({ width: 1234, height: 777 });
    }
  },
);

test.each(["", "AAAA", "not base64!", Buffer.from("<svg/>").toString("base64")])("knows no size of %j", (data) => {
  expect(readImageSize(data)).toBeUndefined();
});
