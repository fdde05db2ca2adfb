import { dirname, relative, sep } from "node:path";
import { type AgentToolResult, ToolError } from "@pikit/agent";
import type { FileToolOptions } from "../files/file-access.ts";
import { toFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { isInside } from "../files/write-target.ts";
import type { PreviewParameters } from "./parameters.ts";
import { type RunningPreview, startPreview } from "./preview-server.ts";

/** Details of a preview for user interfaces. */
export interface PreviewDetails {
  /** null if the preview was stopped. */
  url: string | null;
  port: number | null;
  /** The served folder: absolute, with links resolved. */
  path: string | null;
}

/** An event of a preview. The order is `started`, then `ready` or `failed`; after `ready`, `stopped` at its end. */
export type PreviewEvent =
  | { type: "started"; path: string; port: number }
  | { type: "ready"; url: string; port: number }
  | { type: "failed"; message: string }
  | { type: "stopped"; reason: string };

export interface PreviewToolOptions extends FileToolOptions {
  /** Called with the events of all previews; `path` is the path from the model. Must not throw. */
  onPreview?: (event: PreviewEvent) => void;
}

type PreviewResult = AgentToolResult<PreviewDetails>;

/** Executes the calls of `preview`, and keeps the running server. */
export class Previews {
  readonly #cwd: string;
  readonly #options: PreviewToolOptions;
  #running: (RunningPreview & { path: string }) | undefined;
  #isDisposed = false;
  /** Resolves after the last change; changes run one after another, even if the session ends during one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(cwd: string, options: PreviewToolOptions) {
    this.#cwd = cwd;
    this.#options = options;
  }

  async run({ path, port, stop = false }: PreviewParameters, signal: AbortSignal): Promise<PreviewResult> {
    signal.throwIfAborted();
    if (stop === (path !== undefined)) {
      throw new ToolError("invalid_arguments", 'Give path to start a preview, or {"stop": true} to stop the one that is running.');
    }
    return path === undefined ? this.#stop() : this.#start(path, port);
  }

  dispose(): Promise<void> {
    this.#isDisposed = true;
    return this.#inTurn(() => this.#end("the session ended"));
  }

  #start(path: string, port: number | undefined): Promise<PreviewResult> {
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

  #stop(): Promise<PreviewResult> {
    return this.#inTurn(async () => {
      const { url } = this.#running ?? {};
      await this.#end("manual stop");
      const text = url === undefined ? "No preview is running." : `Stopped the preview at ${url}.`;
      return { content: [{ type: "text", text }], details: { url: null, port: null, path: null } };
    });
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Finds the folder to serve, and the page in it. */
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
    // Without a given port, the port is known only after the start.
    if (wanted !== undefined) this.#tell({ type: "started", path, port: wanted });
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
