import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type {
  CommandData,
  CommandName,
  CommandParams,
  CompactionResult,
  HostTool,
  RpcClient,
  RpcEvent,
  SessionState,
  TodoPhase,
  TodoPhaseInput,
  UiRequest,
  UiResponse,
} from "../src/index.ts";

/** A name that is not exported does not compile. */
type _Names = [
  ...[CommandData<"prompt">, CommandName, CommandParams<"prompt">, CompactionResult, HostTool, RpcClient, RpcEvent],
  ...[SessionState, TodoPhase, TodoPhaseInput, UiRequest, UiResponse],
];

test("every name that docs/type-names.md finds in this package is exported", async () => {
  const page = await readFile(new URL("../../../docs/type-names.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| .* \| (.*) \| `@pikit\/rpc-client` \|$/gm)];
  const promised = rows.flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const source = await readFile(new URL(import.meta.url), "utf8");
  const imported = source.match(/^import type \{(.*?)\} from "\.\.\/src\/index\.ts";$/ms)?.[1]?.match(/\w+/g);
  expect(promised.sort()).toEqual(imported?.sort());
});
