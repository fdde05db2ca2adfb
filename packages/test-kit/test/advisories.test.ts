import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "../../../scripts/advisories.ts");

const components = [
  { type: "library", name: "left", version: "1.2.0" },
  { type: "library", group: "@some", name: "right", version: "2.0.0" },
];
const advisory = (range: string) => ({
  title: "Text ends the process",
  severity: "high",
  url: "https://a.example/1",
  vulnerable_versions: range,
});

/** Runs the script with a registry that answers with `status` and `body`. */
async function ask(status: number, body: object): Promise<{ asked: unknown; code: number | null; stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), "pi-advisories-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "sbom.cdx.json");
  await writeFile(file, JSON.stringify({ components }));
  let asked: unknown;
  const server = createServer(async (request, response) => {
    asked = { url: request.url, body: JSON.parse(await text(request)) };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, file], { env }, (_error, stdout, stderr) =>
      resolve({ asked, code: child.exitCode, stdout, stderr }),
    );
  });
}

test("the versions in a bill of materials are sent, and each advisory for one of them is printed", async () => {
  const { asked, code, stdout } = await ask(200, { "@some/right": [advisory("<2.0.1"), advisory(">=3.0.0")] });
  expect(asked).toEqual({ url: "/-/npm/v1/security/advisories/bulk", body: { left: ["1.2.0"], "@some/right": ["2.0.0"] } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "@some/right 2.0.0: high: Text ends the process (https://a.example/1)\n" });
});

test("without an advisory it ends with 0, and with a registry that has none with 2", async () => {
  expect(await ask(200, {})).toMatchObject({ code: 0, stdout: "No advisory for 2 packages.\n", stderr: "" });
  const { code, stderr } = await ask(405, {});
  expect(code).toBe(2);
  expect(stderr).toMatch(/^http:\S+ answers with 405 when it is asked for advisories\. Set npm_config_registry .*\n$/);
});
