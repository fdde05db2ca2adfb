import { expect, test } from "vitest";
import type { SessionRequest as Accepted } from "../../../coding-agent/src/modes/serve/http/route-schemas.ts";
import type { SessionRequest } from "../../src/index.ts";

/** The fields whose types differ. */
type Differences = {
  [K in keyof Accepted | keyof SessionRequest]: K extends keyof Accepted & keyof SessionRequest
    ? [Accepted[K], SessionRequest[K]] extends [SessionRequest[K], Accepted[K]]
      ? never
      : K
    : K;
}[keyof Accepted | keyof SessionRequest];

test("the options of a session are those that the server takes", () => {
  // Does not compile when a field is missing here or there, or has another type.
  const differences: [Differences] extends [never] ? true : Differences = true;
  expect(differences).toBe(true);
});
