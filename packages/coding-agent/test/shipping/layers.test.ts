import { existsSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layers } from "../../../../scripts/layers/order.ts";
import { root, run, temporaryFolder, tool } from "./helpers.ts";

/** A small tree that keeps all the rules. */
const tree = {
  "packages/ai/src/index.ts": `export const answer = 42;\n`,
  "packages/agent/src/index.ts": `export const { answer } = await import("@pikit/ai");\n`,
  "packages/coding-agent/src/protocol/data.ts": `import { Type } from "@sinclair/typebox";\n\nexport const count = Type.Number();\n`,
  "packages/coding-agent/src/conversation/tree.ts": `import { count } from "../protocol/data.ts";\n\nexport const counts = [count];\n`,
  // The name of the package is known at run time only; order.ts allows that for this file.
  "packages/coding-agent/src/config/named-package.ts": `export const load = (path: string) => import(path);\n`,
  "packages/coding-agent/src/tools/read/run.ts": `export interface ReadDetails {\n  path: string;\n}\n`,
  "packages/coding-agent/src/tools/read/definition.ts": `import type { ReadDetails } from "./run.ts";\n\nexport const read = (details: ReadDetails) => [details, import("./run.ts")];\n`,
  "packages/coding-agent/src/tools/write/definition.ts": `export const write = 1;\n`,
  "packages/coding-agent/src/session/agent-session.ts": `import { counts } from "../conversation/tree.ts";\n\nexport const count = counts[0];\n`,
  "packages/coding-agent/src/modes/print.ts": `import { count } from "../session/agent-session.ts";\n\nexport const printed = count;\n`,
  "packages/coding-agent/src/cli/args.ts": `import { printed } from "../modes/print.ts";\n\nexport const args = printed;\n`,
  "packages/coding-agent/src/index.ts": `export { count } from "./session/agent-session.ts";\n`,
  "packages/rpc-client/src/index.ts": `import type { Message } from "@pikit/coding-agent/protocol";\n\nexport type Sent = Message;\n`,
  "packages/rpc-client/src/protocol.ts": `export { count } from "@pikit/coding-agent/protocol";\n`,
  "packages/postgres/src/index.ts": `import { count } from "@pikit/coding-agent";\n\nexport const counted = count;\n`,
  "packages/otel/src/index.ts": `import type { count } from "@pikit/coding-agent";\n\nexport type Counted = typeof count;\n`,
  "packages/test-kit/src/index.ts": `export const kit = 1;\n`,
  "scripts/build.mjs": `export const build = 1;\n`,
};

async function plant(planted: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder({ ...tree, ...planted });
  for (const { folder: name } of layers) await cp(join(root, name, "package.json"), join(folder, name, "package.json"));
  return folder;
}

async function checkLayers(planted: Readonly<Record<string, string>>): Promise<{ code: number | null; problems: string[] }> {
  const { code, stderr } = await run(process.execPath, [join(root, "scripts/check-layers.ts"), await plant(planted)], {
    cwd: root,
  });
  return { code, problems: stderr.split("\n\n")[0]?.trim().split("\n") ?? [] };
}

test("a tree that keeps the layers passes the check", async () => {
  expect(await checkLayers({})).toEqual({ code: 0, problems: [""] });
});

test("every room of the order is there", () => {
  const missing = layers.flatMap(({ folder, rooms }) =>
    rooms
      .filter((room) => !existsSync(join(root, folder, "src", room.replace(/\/\*$/, ""))))
      .map((room) => `${folder}/src/${room}`),
  );
  expect(missing).toEqual([]);
});

const inAgent = "packages/coding-agent/src";

test.each([
  ["ai imports agent", "packages/ai/src/planted.ts", "@pikit/agent", "a lower package knows nothing of it"],
  ["ai imports agent's source", "packages/ai/src/planted.ts", "../../agent/src/index.ts", "a lower package knows nothing of it"],
  ["agent imports a module of Node", "packages/agent/src/planted.ts", "node:fs", "runs without Node"],
  ["agent imports coding-agent", "packages/agent/src/planted.ts", "@pikit/coding-agent", "a lower package knows nothing of it"],
  ["the protocol imports a module of Node", `${inAgent}/protocol/planted.ts`, "node:fs", "and nothing else"],
  [
    "the protocol imports another room",
    `${inAgent}/protocol/planted.ts`,
    "../conversation/tree.ts",
    "protocol is below conversation",
  ],
  ["a room imports a mode", `${inAgent}/conversation/planted.ts`, "../modes/print.ts", "conversation is below modes"],
  ["a room imports the session", `${inAgent}/mcp/planted.ts`, "../session/agent-session.ts", "mcp is below session"],
  [
    "a room imports its own package by name",
    `${inAgent}/extensions/planted.ts`,
    "@pikit/coding-agent",
    "extensions is below index.ts",
  ],
  ["a mode imports the command line", `${inAgent}/modes/rpc/planted.ts`, "../../cli/args.ts", "modes/rpc is below cli"],
  ["a tool imports another tool", `${inAgent}/tools/edit/planted.ts`, "../write/definition.ts", "know nothing of each other"],
  ["what is loaded late is imported at once", `${inAgent}/tools/read/planted.ts`, "./run.ts", "import() it, or import types"],
  ["an import leads nowhere", `${inAgent}/tools/read/planted.ts`, "./missing.ts", "no such file"],
  [
    "rpc-client imports coding-agent",
    "packages/rpc-client/src/planted.ts",
    "@pikit/coding-agent",
    "a lower package knows nothing of it",
  ],
  ["rpc-client imports more than types", "packages/rpc-client/src/planted.ts", "@pikit/coding-agent/protocol", "import types"],
])("the check fails when %s", async (_title, file, specifier, reason) => {
  const { code, problems } = await checkLayers({ [file]: `export * from "${specifier}";\n\nexport const more = 1;\n` });
  expect(code).toBe(1);
  expect(problems).toEqual([expect.stringContaining(reason)]);
  expect(problems[0]).toContain(`${file} imports ${specifier}: `);
});

test.each([
  ["imports a type", (specifier: string) => `import type { count } from "${specifier}";\n\nexport type Planted = typeof count;\n`],
  ["names a type in its place", (specifier: string) => `export type Planted = import("${specifier}").Counts;\n`],
  ["imports it late", (specifier: string) => `export const planted = () => import("${specifier}");\n`],
])("the check fails also when a lower room only %s of a higher one", async (_title, write) => {
  const file = `${inAgent}/conversation/planted.ts`;
  const { code, problems } = await checkLayers({ [file]: write("../session/agent-session.ts") });
  expect(code).toBe(1);
  expect(problems).toEqual([`${file} imports ../session/agent-session.ts: conversation is below session: pass in what is needed`]);
});

test.each([
  [
    "by values",
    "packages/ai/src/",
    'export { b } from "./b.ts";\n\nexport const a = 1;\n',
    'import { a } from "./a.ts";\n\nexport const b = a;\n',
  ],
  [
    "by types",
    "packages/agent/src/",
    'import type { B } from "./b.ts";\n\nexport type A = B;\n',
    'import type { A } from "./a.ts";\n\nexport type B = A;\n',
  ],
  [
    "by import()",
    `${inAgent}/exec/`,
    'export const a = () => import("./b.ts");\n',
    'import type { a } from "./a.ts";\n\nexport type B = typeof a;\n',
  ],
  [
    "of scripts",
    "scripts/",
    'import { b } from "./b.ts";\n\nexport const a = b;\n',
    'import { a } from "./a.ts";\n\nexport const b = a;\n',
  ],
])("the check fails when files make a circle %s", async (_title, folder, a, b) => {
  const { code, problems } = await checkLayers({ [`${folder}a.ts`]: a, [`${folder}b.ts`]: b });
  expect(code).toBe(1);
  expect(problems).toEqual([`circle: ${folder}a.ts → ${folder}b.ts → ${folder}a.ts`]);
});

test("the check fails when a folder is not listed, a module consists of re-exports, or an import() cannot be checked", async () => {
  const unlisted = `${inAgent}/new-room/file.ts`;
  const passing = `${inAgent}/conversation/all.ts`;
  const unknown = `${inAgent}/conversation/any.ts`;
  const { code, problems } = await checkLayers({
    [unlisted]: "export const a = 1;\n",
    [passing]: 'export * from "./tree.ts";\n',
    [unknown]: "export const load = (path: string) => import(path);\n",
  });
  expect(code).toBe(1);
  expect(problems).toEqual([
    `${passing} consists of re-exports only: import from the modules themselves`,
    `${unknown} has an import() that cannot be checked: give it a literal`,
    `${unlisted} is in no room: list its folder in scripts/layers/order.ts`,
  ]);
});

test.each([
  ["ai imports what its package.json does not name", "packages/ai/src/planted.ts", "commander"],
  ["rpc-client imports a value from what is there in development only", "packages/rpc-client/src/planted.ts", "@pikit/ai"],
])("lint fails when %s", async (_title, file, specifier) => {
  const folder = await plant({ [file]: `export * from "${specifier}";\n` });
  await cp(join(root, "biome.json"), join(folder, "biome.json"));
  const { code, stdout, stderr } = await run(tool("biome"), ["lint", "--vcs-enabled=false", "--max-diagnostics=none", "."], {
    cwd: folder,
  });
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(file);
  expect(stdout + stderr).toContain("noUndeclaredDependencies");
});

/** Compiles one source file in a copy of packages/agent; `types` replaces the package's own setting. */
async function compileInAgent(source: string, types?: readonly string[]): Promise<{ code: number | null; output: string }> {
  const folder = await temporaryFolder({ "packages/agent/src/index.ts": source });
  for (const file of ["tsconfig.base.json", "packages/agent/tsconfig.json", "packages/agent/package.json"]) {
    await cp(join(root, file), join(folder, file));
  }
  // Node's types are within reach, as in the repository: only the setting keeps them out.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const options = types ? ["--types", types.join(",")] : [];
  const { code, stdout, stderr } = await run(tool("tsc"), ["-p", "packages/agent", ...options], { cwd: folder });
  return { code, output: stdout + stderr };
}

test("agent compiles with AbortSignal and timers", async () => {
  const source = "export const late = (signal: AbortSignal): unknown => setTimeout(() => signal.throwIfAborted(), 1);\n";
  expect(await compileInAgent(source)).toEqual({ code: 0, output: "" });
});

test("agent does not compile with node:fs or process, because it leaves Node's types out", async () => {
  const source = `import { readFileSync } from "node:fs";\nexport const text: unknown = readFileSync(process.cwd());\n`;
  const { code, output } = await compileInAgent(source);
  expect(code).not.toBe(0);
  expect(output).toContain("node:fs");
  expect(output).toContain("'process'");
  expect(await compileInAgent(source, ["node"])).toEqual({ code: 0, output: "" });
});

test("the bundle of rpc-client is refused when it would take in more of ours than the pure modules of the protocol", async () => {
  const folder = await temporaryFolder({
    "packages/rpc-client/src/index.ts": `export { heavy } from "@pikit/coding-agent/protocol";\n`,
    "packages/coding-agent/src/protocol/index.ts": `export { heavy } from "../session/agent-session.ts";\n`,
    "packages/coding-agent/src/session/agent-session.ts": `export const heavy = Date.now();\n`,
  });
  for (const file of ["scripts", "packages/rpc-client/package.json", "packages/coding-agent/package.json"]) {
    await cp(join(root, file), join(folder, file), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const packageFolder = join(folder, "packages/rpc-client");
  await mkdir(join(packageFolder, "node_modules/@pikit"), { recursive: true });
  await symlink(join(folder, "packages/coding-agent"), join(packageFolder, "node_modules/@pikit/coding-agent"));

  const { code, stderr } = await run(process.execPath, ["../../scripts/bundle.mjs"], { cwd: packageFolder });
  expect(code).toBe(1);
  expect(stderr).toContain("must stand alone but bundles ../coding-agent/src/session/agent-session.ts");
});
