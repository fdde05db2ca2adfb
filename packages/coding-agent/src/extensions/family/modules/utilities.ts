import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { agentFolder } from "../../../config/paths.ts";
import { UsageError } from "../../../errors.ts";
import { defaultOutputLimits } from "../../../exec/output-limits.ts";
import { formatSize } from "../../../tools/output/truncate.ts";
import { packageVersion } from "../../../version.ts";
import { truncateHead, truncateLine, truncateTail } from "./truncate.ts";

/** The folder of this package. */
function getPackageDir(): string {
  return dirname(createRequire(import.meta.url).resolve("@pikit/coding-agent/package.json"));
}

/** The shell for commands. */
function getShellConfig(shellPath?: string): { shell: string; args: string[] } {
  if (shellPath !== undefined && !existsSync(shellPath))
    throw new UsageError("invalid_arguments", `There is no shell ${shellPath}. Give the path of a shell, or none for bash.`);
  return { shell: shellPath ?? (existsSync("/bin/bash") ? "/bin/bash" : "bash"), args: ["-c"] };
}

/** Messages between extensions. An error of one listener is printed and does not keep the others from the message. */
function createEventBus() {
  const listeners = new Map<string, Set<(data: unknown) => unknown>>();
  return {
    emit(channel: string, data: unknown): void {
      for (const listener of [...(listeners.get(channel) ?? [])]) {
        void (async () => listener(data))().catch((error: unknown) => console.error(`A listener of "${channel}" failed:`, error));
      }
    },
    on(channel: string, listener: (data: unknown) => unknown): () => void {
      const ofChannel = listeners.get(channel) ?? new Set();
      listeners.set(channel, ofChannel.add(listener));
      return () => void ofChannel.delete(listener);
    },
    clear: () => listeners.clear(),
  };
}

/** The functions that need nothing of the session. */
export const utilities: Record<string, unknown> = {
  ...{ truncateHead, truncateTail, truncateLine, formatSize, getPackageDir, getShellConfig, createEventBus },
  DEFAULT_MAX_LINES: defaultOutputLimits.maxLines,
  DEFAULT_MAX_BYTES: defaultOutputLimits.maxBytes,
  GREP_MAX_LINE_LENGTH: 500,
  VERSION: packageVersion(),
  CONFIG_DIR_NAME: ".pi",
  getAgentDir: () => agentFolder(),
  getReadmePath: () => join(getPackageDir(), "README.md"),
  getDocsPath: () => join(getPackageDir(), "docs"),
  getExamplesPath: () => join(getPackageDir(), "examples"),
  createSyntheticSourceInfo: (path: string, { source, scope = "temporary", origin = "top-level", baseDir }: SourceFacts) => ({
    ...{ path, source, scope, origin },
    ...(baseDir === undefined ? {} : { baseDir }),
  }),
};

interface SourceFacts {
  source: string;
  scope?: string;
  origin?: string;
  baseDir?: string;
}
