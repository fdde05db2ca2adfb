import fc from "fast-check";
import { expect, test } from "vitest";
import { timestampOf } from "../../src/conversation/timestamp.ts";

test("a timestamp is what toISOString gives", () => {
  const times = fc.date({ min: new Date("1000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(times, (time) => {
      expect(timestampOf(time)).toBe(time.toISOString());
    }),
  );
});
