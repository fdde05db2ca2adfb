import { createRequire } from "node:module";

/** What the build puts in the place of this name; from source there is none. */
declare const builtVersion: string | undefined;

/** The version of this package: a bare semantic version. The build writes it down, since every start in RPC mode tells it. */
export function packageVersion(): string {
  if (typeof builtVersion === "string") return builtVersion;
  const packageJson: unknown = createRequire(import.meta.url)("@pikit/coding-agent/package.json");
  return (packageJson as { version: string }).version;
}
