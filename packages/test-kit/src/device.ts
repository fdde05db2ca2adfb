import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The number of each device, for `mknod`. */
const devices = { null: ["1", "3"], zero: ["1", "5"] } as const;

/**
 * A device that a test may try to replace or to write to: `/dev/null`, or `/dev/zero`. For root, who could really replace the one of
 * the machine if the code were broken, it is a node of its own in the folder.
 */
export function deviceIn(folder: string, name: keyof typeof devices): string {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return `/dev/${name}`;
  const path = join(folder, `${name}-device`);
  try {
    execFileSync("mknod", ["-m", "666", path, "c", ...devices[name]], { stdio: "ignore" });
  } catch {
    return `/dev/${name}`; // a container that may make no devices
  }
  return path;
}
