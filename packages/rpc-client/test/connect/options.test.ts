import { expect, test } from "vitest";
import type { SessionRequest as Accepted } from "../../../coding-agent/src/modes/serve/http/route-schemas.ts";
import type { SessionRequest } from "../../src/index.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The fields whose types differ. */
type Differences = {
  [K in keyof Accepted | keyof SessionRequest]: K extends keyof Accepted & keyof SessionRequest
    ? Equal<Accepted[K], SessionRequest[K]> extends true
      ? never
      : K
    : K;
}[keyof Accepted | keyof SessionRequest];

test("the options of a session are those that the server takes", () => {
  // Does not compile when a field is missing here or there, or has another type.
  const differences: [Differences] extends [never] ? true : Differences = true;
  expect(differences).toBe(true);
});
