import { createRequire } from "node:module";

/** Replaced by the build; not defined when the sources run directly. */
declare const builtVersion: string | undefined;

/** The version of this package, such as `1.2.3`. The build inserts it, because each start in RPC mode needs it. */
export function packageVersion(): string {
  if (typeof builtVersion === "string") return builtVersion;
  const packageJson: unknown = createRequire(import.meta.url)("@pikit/coding-agent/package.json");
  return (packageJson as { version: string }).version;
}
