import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The major and minor number of each device, for `mknod`. */
const devices = { null: ["1", "3"], zero: ["1", "5"] } as const;

/**
 * A device that a test may try to replace or to write to: `/dev/null` or `/dev/zero`. For root it is a separate device node in the folder,
 * because broken code could really replace the device of the machine.
 */
export function deviceIn(folder: string, name: keyof typeof devices): string {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return `/dev/${name}`;
  const path = join(folder, `${name}-device`);
  try {
    execFileSync("mknod", ["-m", "666", path, "c", ...devices[name]], { stdio: "ignore" });
  } catch {
    return `/dev/${name}`; // a container without permission for mknod
  }
  return path;
}
