import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

test("the page needs no token, and its headers allow its own files only", async () => {
  const pageFolder = join(workspace.cwd, "built");
  await mkdir(pageFolder);
  for (const name of ["index.html", "page.js", "page.css"]) await writeFile(join(pageFolder, name), `content of ${name}`);
  const server = await startTestServer(workspace, { pageFolder });
  const page = await call(server, "GET", "/", { token: null });
  expect(page).toMatchObject({ status: 200, text: "content of index.html" });
  expect(page.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect((await call(server, "GET", "/page.js", { token: null })).headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect((await call(server, "GET", "/page.css?x", { token: null })).text).toBe("content of page.css");
  expect(await call(server, "HEAD", "/", { token: null })).toMatchObject({ status: 200, text: "" });
  expect(await call(server, "POST", "/", { token: null })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  expect(await call(server, "GET", "/", { token: null, headers: { host: "example.com" } })).toMatchObject({ status: 403 });
});

test("without its files there is no page, until they are there", async () => {
  const pageFolder = join(workspace.cwd, "later");
  const server = await startTestServer(workspace, { pageFolder });
  expect(await call(server, "GET", "/", { token: null })).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
  await mkdir(pageFolder);
  for (const name of ["index.html", "page.js", "page.css"]) await writeFile(join(pageFolder, name), "");
  expect(await call(server, "GET", "/", { token: null })).toMatchObject({ status: 200 });
  await rm(pageFolder, { recursive: true });
  expect(await call(server, "GET", "/", { token: null })).toMatchObject({ status: 200 });
});
