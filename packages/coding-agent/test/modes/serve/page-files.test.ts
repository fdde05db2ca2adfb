import { expect, test } from "vitest";
import { call } from "../../helpers/http-client.ts";
import { startTestServer } from "../../helpers/serve.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

test("the script of the page is sent compressed to clients that take gzip, and plain to others", async () => {
  const server = await startTestServer(workspace);
  const content = "The content of page.js";
  const response = await fetch(`${server.url}/page.js`);
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(response.headers.get("vary")).toBe("accept-encoding");
  expect(await response.text()).toBe(content);
  for (const [accepted, encoding] of [
    ["GZIP", "gzip"],
    ["br, gzip;q=0.05", "gzip"],
    ["gzip; q=1.0", "gzip"],
    ["gzip;q=0", undefined],
    ["gzip;q=0.00, br", undefined],
    ["xgzip, deflate", undefined],
    ["", undefined],
  ] as const) {
    const { headers, text } = await call(server, "GET", "/page.js", { token: null, headers: { "accept-encoding": accepted } });
    expect([accepted, headers["content-encoding"], text === content]).toEqual([accepted, encoding, encoding === undefined]);
  }
  const style = await call(server, "GET", "/page.css", { token: null, headers: { "accept-encoding": "gzip" } });
  expect(style.headers).not.toHaveProperty("content-encoding");
});
