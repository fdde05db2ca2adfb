import { readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, root, run, temporaryFolder, tool } from "./helpers.ts";
import { packageNames } from "./packed-install.ts";

const manifest = (fields: object) => `${JSON.stringify({ version: "1.2.3", type: "module", ...fields })}\n`;

/** A small workspace that packs as ours does: `a`, which is not built, depends on `b`. */
async function smallWorkspace(): Promise<string> {
  const write = `node -e "require('fs').mkdirSync('dist', { recursive: true }); require('fs').writeFileSync('dist/index.js', 'export {};')"`;
  const build = `${write} && node ../../scripts/dist-files.mjs`;
  const folder = await temporaryFolder({
    "package.json": manifest({ name: "root", private: true, packageManager: "pnpm@12.21.0" }),
    "pnpm-workspace.yaml": "packages: [packages/*]\npmOnFail: ignore\nverifyDepsBeforeRun: false\n",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "turbo.json": JSON.stringify({ tasks: { build: { inputs: ["package.json"], outputs: ["dist/**"] } } }),
    "scripts/prepack.mjs": readFileSync(join(root, "scripts/prepack.mjs"), "utf8"),
    "scripts/dist-files.mjs": readFileSync(join(root, "scripts/dist-files.mjs"), "utf8"),
    "packages/a/package.json": manifest({
      name: "a",
      files: ["dist", "!dist/.files"],
      scripts: { build, prepack: "node ../../scripts/prepack.mjs" },
      dependencies: { b: "workspace:^" },
    }),
    "packages/b/package.json": manifest({ name: "b" }),
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await mkdir(join(folder, "packages/a/node_modules"));
  await symlink(join(folder, "packages/b"), join(folder, "packages/a/node_modules/b"));
  return folder;
}

const tarballs = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tgz$/.test(name));

describe.each(["pack", "publish"])("npm %s by hand", (command) => {
  test("says in one sentence that only pnpm makes a right tarball, and makes none", async () => {
    const folder = await smallWorkspace();
    const cwd = join(folder, "packages/a");
    const args = command === "publish" ? ["publish", "--dry-run"] : ["pack"];
    const { code, stdout, stderr } = await run("npm", args, { cwd, env: cleanEnvironment(folder) });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(
      "Cannot pack a: only pnpm writes the versions and exports that others can use. Run ../../node_modules/.bin/pnpm pack here, or npm run release at the root to publish.\n",
    );
    expect(tarballs(cwd)).toEqual([]);
  });
});

test("pnpm pack builds what is not built, writes the versions of the workspace, and takes nothing that another build has left", async () => {
  const folder = await smallWorkspace();
  const cwd = join(folder, "packages/a");
  const { code, stdout, stderr } = await run(tool("pnpm"), ["pack"], { cwd, env: cleanEnvironment(folder) });
  expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
  expect(tarballs(cwd)).toEqual(["a-1.2.3.tgz"]);
  const unpack = async (...args: string[]) => (await run("tar", ["-xzOf", "a-1.2.3.tgz", ...args], { cwd })).stdout;
  expect(await unpack("package/dist/index.js")).toBe("export {};");
  expect(JSON.parse(await unpack("package/package.json"))).toMatchObject({ dependencies: { b: "^1.2.3" } });

  await writeFile(join(cwd, "dist/chunk-of-before.js"), "");
  expect(await run(tool("pnpm"), ["pack"], { cwd, env: cleanEnvironment(folder) })).toMatchObject({ code: 0 });
  const { stdout: files } = await run("tar", ["-tzf", "a-1.2.3.tgz"], { cwd });
  expect(files.trim().split("\n").sort()).toEqual(["package/dist/index.js", "package/package.json"]);
});

test.each(packageNames)("@pikit/%s is packed that way", (name) => {
  const { scripts } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
  expect(scripts.prepack).toBe("node ../../scripts/prepack.mjs");
});
