import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type PageFile, readPageFiles } from "../../../src/modes/serve/page-files.ts";
import { buildPage } from "../build-page.ts";
import { ScriptedServer } from "../scripted-server.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Whether a browser is installed. */
export const hasBrowser = executablePath !== undefined;

const switches = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

export interface VisitOptions {
  /** Options of the browser, such as the size of its window and its colours. */
  context?: BrowserContextOptions;
  /** Sets the server up before the page is opened. */
  prepare?: (server: ScriptedServer) => void;
  /** The fragment of the address. Default: the token, and the session `s1`. */
  fragment?: (token: string) => string;
}

interface Visit extends OpenPage {
  server: ScriptedServer;
}

interface OpenPage {
  page: Page;
  /** Errors of the page and what its content security policy has stopped. Must stay empty. */
  problems: string[];
}

export interface BrowserForTests {
  /** Opens the page of a scripted server. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** Opens a page. */
  open(url: string, context?: BrowserContextOptions): Promise<OpenPage>;
  /** The folder of the built page. */
  pageFolder(): string;
}

/** Starts a browser for the tests of a file, and builds the page. */
export function useBrowser(): BrowserForTests {
  let browser: Browser | undefined;
  let folder = "";
  let files: ReadonlyMap<string, PageFile> = new Map();
  beforeAll(async () => {
    if (executablePath === undefined) return;
    folder = await mkdtemp(join(tmpdir(), "pi-page-"));
    await buildPage(folder);
    files = await readPageFiles(folder);
    browser = await chromium.launch({ executablePath, args: switches, timeout: 0 });
  });
  afterAll(async () => {
    await browser?.close();
    if (folder !== "") await rm(folder, { recursive: true, force: true });
  });
  const open = async (url: string, context: BrowserContextOptions = {}) => {
    if (!browser) throw new Error("No browser was started.");
    const visited = await browser.newContext(context);
    onTestFinished(() => visited.close());
    const page = await visited.newPage();
    // The limit of the test is enough.
    page.setDefaultTimeout(0);
    page.setDefaultNavigationTimeout(0);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      // The browser itself reports failed requests.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) problems.push(message.text());
    });
    await page.goto(url);
    return { page, problems };
  };
  const visit = async ({
    context,
    prepare,
    fragment = (token: string) => `#token=${token}&session=s1`,
  }: VisitOptions = {}): Promise<Visit> => {
    const server = await ScriptedServer.start(files);
    onTestFinished(() => server.close());
    server.add("s1", { name: "First" });
    prepare?.(server);
    return { server, ...(await open(`${server.url}/${fragment(server.token)}`, context)) };
  };
  return { visit, open, pageFolder: () => folder };
}
