// Runs in the folder of a package before it is packed or published: `"prepack": "node ../../scripts/prepack.mjs"`. Builds it, so that no
// tarball lacks its dist; and refuses npm, which would leave `workspace:` versions and the exports of our tests in it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { removeStrangers } from "./dist-files.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules/.bin");
const { name } = JSON.parse(readFileSync("package.json", "utf8"));

if (!process.env.npm_config_user_agent?.startsWith("pnpm/")) {
  const how = `${relative("", join(bin, "pnpm"))} pack`;
  refuse(
    `only pnpm writes the versions and exports that others can use. Run ${how} here, or npm run release at the root to publish`,
  );
}
if (!existsSync(join(bin, "turbo"))) refuse("nothing is installed to build it with. Run npm test at the root once");

// What is packed is printed on stdout.
const { status } = spawnSync("turbo", ["run", "build", "--output-logs=errors-only", `--filter=${name}`], {
  cwd: root,
  stdio: ["ignore", 2, 2],
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: "1" },
});
if (status !== 0) refuse("the build failed, see above");
removeStrangers(process.cwd());

/** @returns {never} */
function refuse(reason) {
  console.error(`Cannot pack ${name}: ${reason}.`);
  process.exit(1);
}
