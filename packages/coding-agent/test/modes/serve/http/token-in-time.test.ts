import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readToken } from "../../../../src/modes/serve/http/token-file.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

let onWrite = (): void => undefined;
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const writeSync = (file: number, text: string) => {
    onWrite();
    return fs.writeSync(file, text);
  };
  return { ...fs, writeSync };
});

test("a process that starts while another creates the token file sees no empty file", async () => {
  const path = join(workspace.agentDir, "serve-token");
  const seen: boolean[] = [];
  onWrite = () => void seen.push(existsSync(path));
  const token = await readToken(path);
  expect(seen).toEqual([false]);
  expect(await readFile(path, "utf8")).toBe(`${token}\n`);
});
