import { spawnSync } from "node:child_process";

/** Makes everything outside of the folder `$1` read-only for the command behind it. */
const script = `
set -e
folder=$1
shift
mount --bind "$folder" "$folder"
while read -r _ _ _ _ point _; do
  case "$point" in
    "$folder" | "$folder"/* | /proc | /proc/*) ;;
    *) mount -o remount,bind,ro "$point" 2>/dev/null || true ;;
  esac
done < /proc/self/mountinfo
cd "$PWD" # through the mounts above
if [ "$(id -u)" = 0 ]; then exec "$@"; fi
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"
`;

/**
 * The arguments of `unshare` that run a command which sees no other processes, ends with everything that it has started, and cannot write
 * outside of a folder. A mutant needs it: one wrong number and it kills every process of the user, or replaces `/dev/null`.
 */
export function protectedArguments(folder: string, command: readonly string[]): string[] {
  const asUser = process.getuid?.() === 0 ? [] : ["--map-current-user", "--keep-caps"];
  const own = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  return [...asUser, ...own, "bash", "-c", script, "bash", folder, ...command];
}

/** Why this system does not protect us; undefined when it does. */
export function whyUnprotected(folder: string, repository: string): string | undefined {
  const probe =
    'touch "$0/probe" || exit 3; if touch "$1/.probe" 2>/dev/null; then rm "$1/.probe"; exit 4; fi; [ $$ -lt 20 ] || exit 5';
  const { status, stderr, error } = spawnSync("unshare", protectedArguments(folder, ["bash", "-c", probe, folder, repository]), {
    encoding: "utf8",
  });
  if (error) return `unshare cannot be started: ${error.message}`;
  if (status === 0) return undefined;
  return `unshare and mount do not keep tests from other files and processes (${stderr.trim() || `exit code ${status}`})`;
}
