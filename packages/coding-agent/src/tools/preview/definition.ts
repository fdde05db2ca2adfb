import { dirname, relative, sep } from "node:path";
import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import type { FileToolOptions } from "../files/file-access.ts";
import { toFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { isInside } from "../files/write-target.ts";
import type { RunningPreview } from "./preview-server.ts";

const parameters = Type.Object({
  path: Type.Optional(Type.String({ description: "Folder to serve, or a page in it; inside the working folder" })),
  port: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 65535, description: "Port on this machine, 1 to 65535 (default: any that is free)" }),
  ),
  stop: Type.Optional(Type.Boolean({ description: "true stops the preview that is running; give nothing else then" })),
});

export type PreviewParameters = Static<typeof parameters>;

/** What a user interface may show of a preview. */
export interface PreviewDetails {
  /** null when it was stopped. */
  url: string | null;
  port: number | null;
  /** The served folder, absolute, with links followed. */
  path: string | null;
}

/** What happens to previews, in this order: `started`, then `ready` or `failed`; after `ready`, at some time `stopped`. */
export type PreviewEvent =
  | { type: "started"; path: string; port: number }
  | { type: "ready"; url: string; port: number }
  | { type: "failed"; message: string }
  | { type: "stopped"; reason: string };

export interface PreviewToolOptions extends FileToolOptions {
  /** Told of every preview; `path` is as the model wrote it. Must not throw. */
  onPreview?: (event: PreviewEvent) => void;
}

/** The tool, and the way to end what it has started. */
export interface PreviewTool extends AgentTool<typeof parameters, PreviewDetails> {
  /** Stops the preview for good. Safe to call twice. */
  dispose(): Promise<void>;
}

/** The `preview` tool for one working folder: serves a folder over HTTP to this machine, one at a time. */
export function createPreviewTool(cwd: string, options: PreviewToolOptions = {}): PreviewTool {
  const previews = new Previews(cwd, options);
  return {
    name: "preview",
    label: "Preview",
    description:
      "Serves a folder of the working folder over HTTP on 127.0.0.1, so that the user can look at pages in a browser, and returns the " +
      "address. It goes on until stop is given, another preview is started, or the session ends. Files are read anew for each request.",
    parameters,
    async execute(_toolCallId, { path, port, stop = false }, signal) {
      signal.throwIfAborted();
      if (stop === (path !== undefined)) {
        throw new ToolError(
          "invalid_arguments",
          'Give path to start a preview, or {"stop": true} to stop the one that is running.',
        );
      }
      return path === undefined ? previews.stop() : previews.start(path, port);
    },
    dispose: () => previews.dispose(),
  };
}

type PreviewResult = Awaited<ReturnType<PreviewTool["execute"]>>;

class Previews {
  readonly #cwd: string;
  readonly #options: PreviewToolOptions;
  #running: (RunningPreview & { path: string }) | undefined;
  #isDisposed = false;
  /** One change at a time, also when the session ends in the midst of one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(cwd: string, options: PreviewToolOptions) {
    this.#cwd = cwd;
    this.#options = options;
  }

  start(path: string, port: number | undefined): Promise<PreviewResult> {
    return this.#inTurn(async () => {
      if (this.#isDisposed) throw new ToolError("aborted", "Not started: the session has ended.");
      try {
        const { root, page } = await this.#find(path);
        await this.#end("replaced by another preview");
        const running = await this.#serve(path, root, port);
        const url = page === "" ? running.url : `${running.url}/${page}`;
        this.#tell({ type: "ready", url, port: running.port });
        const text = `Serving ${path} at ${url} until it is stopped or the session ends.`;
        return { content: [{ type: "text", text }], details: { url, port: running.port, path: root } };
      } catch (error) {
        this.#tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    });
  }

  stop(): Promise<PreviewResult> {
    return this.#inTurn(async () => {
      const { url } = this.#running ?? {};
      await this.#end("manual stop");
      const text = url === undefined ? "No preview is running." : `Stopped the preview at ${url}.`;
      return { content: [{ type: "text", text }], details: { url: null, port: null, path: null } };
    });
  }

  dispose(): Promise<void> {
    this.#isDisposed = true;
    return this.#inTurn(() => this.#end("the session ended"));
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** The folder to serve, and the page in it. */
  async #find(path: string): Promise<{ root: string; page: string }> {
    const files = this.#options.files ?? localFiles;
    const absolutePath = await findExisting(this.#cwd, path, files);
    try {
      const realPath = await files.realpath(absolutePath);
      const isFolder = (await files.stat(realPath)).type === "directory";
      const root = isFolder ? realPath : dirname(realPath);
      if (!isInside(await files.realpath(this.#cwd), realPath)) {
        throw new ToolError(
          "outside",
          `Cannot serve ${path}: only what is in the working folder can be served. Copy what is needed into a folder there.`,
        );
      }
      const page = isFolder ? "" : relative(root, realPath).split(sep).map(encodeURIComponent).join("/");
      return { root, page };
    } catch (error) {
      throw toFileError(error, "serve", path, absolutePath);
    }
  }

  async #serve(path: string, root: string, wanted: number | undefined): Promise<RunningPreview> {
    // Without a wish the port is known only afterwards.
    if (wanted !== undefined) this.#tell({ type: "started", path, port: wanted });
    // Loaded with the first preview: HTTP takes long to load.
    const { startPreview } = await import("./preview-server.ts");
    const running = await startPreview(this.#options.files ?? localFiles, root, wanted ?? 0);
    this.#running = { ...running, path };
    if (wanted === undefined) this.#tell({ type: "started", path, port: running.port });
    return running;
  }

  async #end(reason: string): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    await running.stop();
    this.#tell({ type: "stopped", reason });
  }

  #tell(event: PreviewEvent): void {
    this.#options.onPreview?.(event);
  }
}
