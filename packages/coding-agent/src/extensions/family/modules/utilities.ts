import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { agentFolder } from "../../../config/paths.ts";
import { UsageError } from "../../../errors.ts";
import { defaultOutputLimits } from "../../../exec/output-limits.ts";
import { formatSize } from "../../../tools/output/truncate.ts";
import { packageVersion } from "../../../version.ts";
import { createEventBus } from "../../event-bus.ts";
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

/** The functions that need nothing of the session. */
export const utilities: Record<string, unknown> = {
  ...{ truncateHead, truncateTail, truncateLine, formatSize, getPackageDir, getShellConfig },
  createEventBus: () => createEventBus((channel, error) => console.error(`A listener of "${channel}" failed:`, error)),
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
