import { createRequire } from "node:module";

/** The version of this package: a bare semantic version. Read when it is asked for, which most processes never do. */
export function packageVersion(): string {
  const packageJson: unknown = createRequire(import.meta.url)("@pikit/coding-agent/package.json");
  return (packageJson as { version: string }).version;
}
