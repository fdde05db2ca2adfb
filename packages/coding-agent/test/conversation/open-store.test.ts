import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isStoreAddress, openStore, showAddress } from "../../src/conversation/open-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const run = promisify(execFile);
const workspace = useWorkspace();
const address = "postgres://pi:secret@db.example/pi";

/** Installs a package in the agent folder. */
async function install(name: string, source: string): Promise<void> {
  const folder = `agent/node_modules/${name}`;
  await workspace.write(`${folder}/package.json`, { name, type: "module", exports: "./index.js" });
  await workspace.write(`${folder}/index.js`, source);
}

const program = fileURLToPath(new URL("../fixtures/open-store.ts", import.meta.url));

/** Opens a store in a process of its own, whose packages are those of an installation: the test runner adds all packages of this repository. */
async function open(text = address): Promise<unknown> {
  const args = ["--conditions=pikit-source", program, text, workspace.agentDir];
  const { stdout } = await run(process.execPath, args, { env: { PATH: process.env.PATH } });
  return JSON.parse(stdout);
}

test("the package of the store is loaded from the agent folder, and gets the address and where to report", async () => {
  await install(
    "@pikit/postgres",
    `export const openSessionStore = (address, { report }) => { report("connected"); return { address }; };`,
  );
  expect(await open()).toEqual({ store: { address }, reports: ["connected"] });
});

test("a package that is not installed: the error says how to install it, without the password", async () => {
  expect(await open()).toEqual({
    name: "UsageError",
    code: "config_unavailable",
    message: `The session store postgres://pi:…@db.example/pi needs the package @pikit/postgres, which is not installed. Run: npm install --prefix ${workspace.agentDir} @pikit/postgres`,
    reports: [],
  });
});

test.each([
  ["that throws", "throw new Error('pg is missing');", /^Cannot load @pikit\/postgres from .*index\.js: Error: pg is missing\./],
  ["of another version", "export const other = 1;", /has no function openSessionStore\. Install the version/],
])("a package %s is an error that names it", async (_title, source, message) => {
  await install("@pikit/postgres", source);
  expect(await open()).toMatchObject({
    name: "SessionError",
    code: "read_failed",
    message: expect.stringMatching(message),
  });
});

test.each(["mysql://pi:secret@db/pi", "/var/sessions", "sessions"])("%j is no address of a store", async (text) => {
  expect(isStoreAddress(text)).toBe(false);
  const opened = openStore(text, { agentDir: workspace.agentDir });
  await expect(opened).rejects.toMatchObject({ code: "invalid_arguments", message: expect.not.stringContaining("secret") });
});

test.each([
  ["postgres://host/db?schema=a", "postgres://host/db?schema=a"],
  ["postgresql://pi@host/db", "postgresql://pi@host/db"],
  ["postgres://pi:p%40ss@host:5433/db", "postgres://pi:…@host:5433/db"],
  ["postgres:///db?host=/run&password=hush&schema=a", "postgres:///db?host=%2Frun&password=…&schema=a"],
  ["postgres://pi:a/b#c@host:bad/db", "postgres://…@host:bad/db"],
])("%s is shown as %s", (text, shown) => {
  expect(showAddress(text)).toBe(shown);
});
