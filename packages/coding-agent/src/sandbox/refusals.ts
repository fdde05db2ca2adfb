/** Texts of programs that had no network. */
const noNetwork =
  /Could not resolve host|Temporary failure in name resolution|Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Could not resolve proxy|getaddrinfo|Couldn't connect to server|Connection blocked by network allowlist/i;
/** Texts of programs that could not write, read or call something. */
const noAccess =
  /Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM|Device or resource busy|EBUSY|cannot open .*hidden/i;

/**
 * Says what a sandbox has probably refused, from the output of a failed command.
 *
 * @returns undefined if nothing looks like it.
 */
export function describeRefusal(
  output: string,
  { writable, network }: { writable: readonly string[]; network: boolean | readonly string[] },
): string | undefined {
  const reasons: string[] = [];
  if (noAccess.test(output)) {
    reasons.push(
      `only ${writable.join(", ")} and /tmp can be written, without .git/config, .git/hooks, .pi, shell start files and editor settings; keys cannot be read`,
    );
  }
  if (network !== true && noNetwork.test(output)) {
    reasons.push(
      network === false || network.length === 0 ? "there is no network" : `the network reaches only ${network.join(", ")}`,
    );
  }
  return reasons.length === 0 ? undefined : `The sandbox has probably refused something: ${reasons.join("; ")}.`;
}
