import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentToolResult } from "@pikit/agent";
import { describe, expect, test } from "vitest";
import { toolFunctions } from "../../../../src/extensions/family/modules/tools.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

interface Tool {
  name: string;
  execute(
    id: string,
    params: object,
    signal?: AbortSignal,
    onUpdate?: (partial: AgentToolResult<unknown>) => void,
  ): Promise<Result>;
}
type Result = { content: { text: string }[]; details: Record<string, unknown> };
type Factory = (cwd: string, options?: object) => Tool;

const factory = (name: string) => toolFunctions[`create${name}Tool`] as Factory;
const textOf = ({ content }: Result) => content.map(({ text }) => text).join("");

/** Files of another machine, by path. */
function remoteFiles(files: Map<string, string>) {
  const read = (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT", syscall: "open" });
    return text;
  };
  return {
    access: async (path: string) => void read(path),
    readFile: async (path: string) => Buffer.from(read(path)),
    writeFile: async (path: string, content: string) => void files.set(path, content),
    mkdir: async () => undefined,
  };
}

describe("tools on the files of an extension", () => {
  test("read, edit and write them, not those of this machine", async () => {
    const files = new Map([["/far/notes.txt", "one\ntwo\n"]]);
    const operations = remoteFiles(files);
    const read = await factory("Read")("/far", { operations }).execute("1", { path: "notes.txt" });
    expect(textOf(read)).toContain("one\ntwo");
    const edit = factory("Edit")("/far", { operations });
    const edited = await edit.execute("2", { path: "notes.txt", edits: [{ oldText: "two", newText: "2" }] });
    expect(edited.details).toMatchObject({ firstChangedLine: 2, patch: edited.details.diff });
    expect(edited.details.patch).toContain("-two\n+2");
    await factory("Write")("/far", { operations }).execute("3", { path: "new/file.txt", content: "three" });
    expect([...files]).toEqual([
      ["/far/notes.txt", "one\n2\n"],
      ["/far/new/file.txt", "three"],
    ]);
  });

  test("report a missing file as their own tools do", async () => {
    const read = factory("Read")("/far", { operations: remoteFiles(new Map()) });
    await expect(read.execute("1", { path: "gone.txt" })).rejects.toThrow(
      "Cannot read gone.txt (/far/gone.txt): there is no such file",
    );
  });

  test("list and find them", async () => {
    const folders = new Set(["/far", "/far/src"]);
    const operations = {
      exists: () => true,
      stat: (path: string) => ({ isDirectory: () => folders.has(path) }),
      readdir: () => ["src", "b.txt"],
      glob: (pattern: string, cwd: string) => [`${cwd}/src/${pattern}`, "plain.ts"],
    };
    expect(textOf(await factory("Ls")("/far", { operations }).execute("1", {}))).toBe("b.txt\nsrc/");
    const found = await factory("Find")("/far", { operations }).execute("2", { pattern: "*.ts" });
    expect(textOf(found)).toBe("src/*.ts\nplain.ts");
  });
});

describe("bash", () => {
  test("runs where the operations of an extension run it; its output arrives as it comes", async () => {
    const calls: unknown[] = [];
    const updates: string[] = [];
    const operations = {
      async exec(command: string, cwd: string, { onData, timeout }: { onData(data: Buffer): void; timeout?: number }) {
        calls.push([command, cwd, timeout]);
        const bytes = Buffer.from("über");
        onData(bytes.subarray(0, 1)); // half of a character
        onData(bytes.subarray(1));
        return { exitCode: command === "fail" ? 3 : 0 };
      },
    };
    const bash = factory("Bash")("/far", { operations, commandPrefix: "set -e" });
    const done = await bash.execute("1", { command: "go", timeout: 60 }, undefined, (partial) =>
      updates.push(textOf(partial as Result)),
    );
    expect(textOf(done)).toBe("über");
    expect(calls).toEqual([["set -e\ngo", "/far", 60]]);
    const failing = factory("Bash")("/far", { operations });
    await expect(failing.execute("2", { command: "fail" })).rejects.toThrow("über\n\nCommand exited with code 3.");
  });

  test("an end by timeout, and other failures of the operations", async () => {
    const failing = (message: string) =>
      factory("Bash")("/far", { operations: { exec: () => Promise.reject(new Error(message)) } }).execute("1", {
        command: "x",
        timeout: 90,
      });
    await expect(failing("timeout:90")).rejects.toThrow("Command timed out after 90 seconds");
    await expect(failing("no connection")).rejects.toThrow("no connection");
  });

  test("a hook changes the command, its folder and its environment; the local operations run it here", async () => {
    await mkdir(join(workspace.cwd, "inner"), { recursive: true });
    const spawnHook = ({ command, cwd, env }: { command: string; cwd: string; env: NodeJS.ProcessEnv }) => ({
      ...{ command: `${command}; pwd`, cwd: join(cwd, "inner"), env: { ...env, MARK: "marked" } },
    });
    const bash = factory("Bash")(workspace.cwd, { spawnHook });
    expect(textOf(await bash.execute("1", { command: "echo $MARK" }))).toBe(`marked\n${join(workspace.cwd, "inner")}\n`);
    const { exec } = (toolFunctions.createLocalBashOperations as () => { exec: (...args: unknown[]) => Promise<unknown> })();
    const pieces: Buffer[] = [];
    const ended = await exec("echo out; exit 4", workspace.cwd, { onData: (data: Buffer) => pieces.push(data) });
    expect([ended, Buffer.concat(pieces).toString()]).toEqual([{ exitCode: 4 }, "out\n"]);
  });
});

test("the lists of tools, and a queue for changes of a file", async () => {
  const names = (create: unknown) => (create as (cwd: string) => Tool[])(workspace.cwd).map(({ name }) => name);
  expect(names(toolFunctions.createCodingTools)).toEqual(["read", "bash", "edit", "write"]);
  expect(names(toolFunctions.createReadOnlyTools)).toEqual(["read", "grep", "find", "ls"]);
  const path = await workspace.write("work/count.txt", "0");
  const inQueue = toolFunctions.withFileMutationQueue as <T>(path: string, task: () => Promise<T>) => Promise<T>;
  const increment = () =>
    inQueue(path, async () => workspace.write("work/count.txt", String(Number(await readFile(path, "utf8")) + 1)));
  await Promise.all(Array.from({ length: 5 }, increment));
  expect(await readFile(path, "utf8")).toBe("5");
});
