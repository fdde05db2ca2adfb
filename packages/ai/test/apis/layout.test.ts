import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadApi } from "../../src/index.ts";
import { wires } from "../helpers/wires.ts";

const sources = new URL("../../src/apis/", import.meta.url);
const tests = new URL("./", import.meta.url);

/** Apis that speak to no provider. */
const others = ["host", "scripted"];

const folders = readdirSync(sources, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !others.includes(entry.name))
  .map((entry) => entry.name);

test("every provider wire is in the contract suite, and nothing else", () => {
  expect(wires.map(({ api }) => api).sort()).toEqual(folders.sort());
});

describe.each(folders)("%s", (api) => {
  test("has the same files as the others, and tests of them", () => {
    expect(readdirSync(new URL(`${api}/`, sources))).toEqual(
      expect.arrayContaining(["adapter.ts", "compat.ts", "events.ts", "request.ts"]),
    );
    expect(readdirSync(new URL(`${api}/`, tests))).toEqual(
      expect.arrayContaining(["adapter.test.ts", "events.test.ts", "request.test.ts"]),
    );
  });

  test("is registered under its name", async () => {
    expect(await loadApi(api)).toBeTypeOf("function");
  });
});
