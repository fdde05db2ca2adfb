import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTestServer } from "../../helpers/serve.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { hasBrowser, useBrowser } from "./browser.ts";

const workspace = useWorkspace();
const { open, pageFolder } = useBrowser();

describe.skipIf(!hasBrowser)("pi serve in a browser (needs chromium)", () => {
  test("a new session writes a file after an approval, and is still there after a reload", async () => {
    const model = await workspace.script(
      {
        text: "I write the **file**.",
        toolCalls: [{ name: "write", arguments: { path: "hello.txt", content: "Hello from the page\n" } }],
      },
      { text: "Done: `hello.txt`." },
    );
    await workspace.write("agent/settings.json", { approval: "always" });
    const server = await startTestServer(workspace, { pageFolder: pageFolder() });
    const { page, problems } = await open(`${server.url}/#token=${server.token}`);
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Model").last().fill(model);
    await page.getByLabel("Name").last().fill("Try it");
    await page.getByRole("button", { name: "OK" }).click();
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    await page.getByRole("textbox", { name: "Prompt" }).fill("Write a file");
    await page.keyboard.press("Enter");
    await page.locator("section.questions").getByRole("button").first().click();
    await page.locator(".items").getByText("Done:").waitFor();
    expect(await readFile(join(workspace.cwd, "hello.txt"), "utf8")).toBe("Hello from the page\n");
    const shown = ["User", "Assistant", "Assistant"];
    const headings = page.locator("article > h2");
    expect((await headings.allTextContents()).map((heading) => heading.split(" ")[0])).toEqual(shown);
    await page.locator("article.tool").getByText("hello.txt").first().waitFor();
    await page.reload();
    await page.locator(".items").getByText("Done:").waitFor();
    expect((await headings.allTextContents()).map((heading) => heading.split(" ")[0])).toEqual(shown);
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /Try it/ })
      .waitFor();
    expect(problems).toEqual([]);
    expect(server.problems).toEqual([]);
  });
});
