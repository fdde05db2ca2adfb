import { commands } from "@pikit/coding-agent/protocol";
import { expect, test } from "vitest";
import { type CommandName, RpcClient } from "../src/index.ts";

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type Methods = { [N in CommandName as Camel<N>]: (...args: never[]) => Promise<unknown> };

test("every command of the protocol is a method", () => {
  // Does not compile when one is missing.
  const methods: Methods = RpcClient.prototype;
  const names = Object.keys(commands).map((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  expect(names.filter((name) => typeof methods[name as keyof Methods] !== "function")).toEqual([]);
});
