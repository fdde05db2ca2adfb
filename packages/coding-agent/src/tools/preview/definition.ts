import { type AgentTool, ToolError } from "@pikit/agent";
import { previewParameters } from "./parameters.ts";
import type { PreviewDetails, Previews, PreviewToolOptions } from "./run.ts";

/** The tool, with a method that ends its preview. */
export interface PreviewTool extends AgentTool<typeof previewParameters, PreviewDetails> {
  /** Stops the preview and refuses new ones. Safe to call twice. */
  dispose(): Promise<void>;
}

/** The `preview` tool for one working folder: serves one folder at a time over HTTP, only to this machine. */
export function createPreviewTool(cwd: string, options: PreviewToolOptions = {}): PreviewTool {
  let previews: Promise<Previews> | undefined;
  let isDisposed = false;
  return {
    name: "preview",
    label: "Preview",
    description:
      "Serves a folder of the working folder over HTTP on 127.0.0.1, so that the user can look at pages in a browser, and returns the " +
      "address. It goes on until stop is given, another preview is started, or the session ends. Files are read anew for each request.",
    parameters: previewParameters,
    async execute(_toolCallId, params, signal) {
      if (isDisposed) throw new ToolError("aborted", "Not started: the session has ended.");
      previews ??= import("./run.ts").then(({ Previews }) => new Previews(cwd, options));
      return (await previews).run(params, signal);
    },
    async dispose() {
      isDisposed = true;
      await (await previews)?.dispose();
    },
  };
}
