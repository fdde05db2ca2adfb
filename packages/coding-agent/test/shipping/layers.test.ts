import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, run, temporaryFolder, tool } from "./helpers.ts";

/** A small tree that keeps all the rules. */
const tree = {
  "packages/ai/src/index.ts": `export const answer = 42;\n`,
  "packages/agent/src/index.ts": `export { answer } from "@pikit/ai";\n`,
  "packages/coding-agent/src/protocol/data.ts": `import { Type } from "@sinclair/typebox";\n\nexport const count = Type.Number();\n`,
  "packages/coding-agent/src/conversation/tree.ts": `export { readFile } from "node:fs/promises";\nexport { count } from "../protocol/data.ts";\n`,
  "packages/coding-agent/src/session/agent-session.ts": `export { count } from "../conversation/tree.ts";\n`,
  "packages/coding-agent/src/modes/print.ts": `export { count } from "../session/agent-session.ts";\n`,
  "packages/coding-agent/src/cli/args.ts": `export { count } from "../modes/print.ts";\n`,
  "packages/rpc-client/src/index.ts": `import type { Message } from "@pikit/coding-agent/protocol";\n\nexport type Sent = Message;\n`,
};
const packages = ["ai", "agent", "coding-agent", "rpc-client"];

async function lint(planted: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const folder = await temporaryFolder({ ...tree, ...planted });
  await cp(join(root, "biome.json"), join(folder, "biome.json"));
  for (const name of packages)
    await cp(join(root, "packages", name, "package.json"), join(folder, "packages", name, "package.json"));
  const { code, stdout, stderr } = await run(tool("biome"), ["lint", "--vcs-enabled=false", "--max-diagnostics=none", "."], {
    cwd: folder,
  });
  return { code, output: stdout + stderr };
}

test("a tree that keeps the layers passes the check", async () => {
  expect(await lint({})).toMatchObject({ code: 0 });
});

test.each([
  ["ai imports agent", "packages/ai/src/planted.ts", "@pikit/agent", "noRestrictedImports"],
  ["ai imports agent's source", "packages/ai/src/planted.ts", "../../agent/src/index.ts", "noRestrictedImports"],
  ["ai imports what its package.json does not name", "packages/ai/src/planted.ts", "commander", "noUndeclaredDependencies"],
  ["agent imports a module of Node", "packages/agent/src/planted.ts", "node:fs", "noRestrictedImports"],
  ["agent imports coding-agent", "packages/agent/src/planted.ts", "@pikit/coding-agent", "noRestrictedImports"],
  ["the protocol imports a module of Node", "packages/coding-agent/src/protocol/planted.ts", "node:fs", "noRestrictedImports"],
  [
    "the protocol imports another room",
    "packages/coding-agent/src/protocol/planted.ts",
    "../conversation/tree.ts",
    "noRestrictedImports",
  ],
  ["a lower room imports a mode", "packages/coding-agent/src/conversation/planted.ts", "../modes/print.ts", "noRestrictedImports"],
  [
    "a lower room imports the session",
    "packages/coding-agent/src/tools/planted.ts",
    "../session/agent-session.ts",
    "noRestrictedImports",
  ],
  ["a mode imports the command line", "packages/coding-agent/src/modes/rpc/planted.ts", "../../cli/args.ts", "noRestrictedImports"],
  ["rpc-client imports coding-agent", "packages/rpc-client/src/planted.ts", "@pikit/coding-agent", "noRestrictedImports"],
  [
    "rpc-client imports more than types",
    "packages/rpc-client/src/planted.ts",
    "@pikit/coding-agent/protocol",
    "noUndeclaredDependencies",
  ],
])("the check fails when %s", async (_title, file, specifier, rule) => {
  const { code, output } = await lint({ [file]: `export * from "${specifier}";\n` });
  expect(code).toBe(1);
  expect(output).toContain(file);
  expect(output).toContain(rule);
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
