import { createCommandEnvironment } from "../exec/command-environment.ts";

/** Variables that lead to a socket, a display or a key outside of the sandbox, or that load code into each program. */
const leadingOut =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_CONNECTION|SSH_CLIENT|SSH_TTY|GPG_AGENT_INFO|GPG_TTY|DBUS_\w+|DISPLAY|WAYLAND_\w+|XAUTHORITY|XDG_RUNTIME_DIR|ICEAUTHORITY|SESSION_MANAGER|DOCKER_HOST|DOCKER_CONFIG|CONTAINER_HOST|PODMAN_\w+|KUBECONFIG|TMUX|TMUX_PANE|STY|NVIM|VSCODE_\w+|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|KRB5CCNAME|AWS_PROFILE|AWS_\w+_FILE|GOOGLE_APPLICATION_CREDENTIALS|LD_PRELOAD|LD_AUDIT|DYLD_\w+|NOTIFY_SOCKET|LISTEN_FDS|LISTEN_PID|WSL_INTEROP)$/;

/** A password in an address, as in `postgres://user:password@host`. */
const passwordInAddress = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * Creates the environment of commands in a sandbox: without variables that are named like secrets, whose values are addresses with a password,
 * or that lead out of it. Temporary files and caches go to the temporary folder.
 *
 * @param temporary - The temporary folder as the command sees it.
 */
export function sandboxEnvironment(env: NodeJS.ProcessEnv, temporary: string): NodeJS.ProcessEnv {
  const passed = Object.entries(createCommandEnvironment({ env, passKeys: false })).filter(
    ([name, value = ""]) => !leadingOut.test(name) && !passwordInAddress.test(value),
  );
  const cache = `${temporary}/.cache`;
  return {
    ...Object.fromEntries(passed),
    ...{ TMPDIR: temporary, TMP: temporary, TEMP: temporary, PIKIT_SANDBOX: "1" },
    // The usual places are in the home folder, which is read-only.
    ...{
      XDG_CACHE_HOME: cache,
      npm_config_cache: `${cache}/npm`,
      GOCACHE: `${cache}/go-build`,
      PYTHONPYCACHEPREFIX: `${cache}/pycache`,
    },
    // It writes the index without being asked, which fails where the repository is read-only.
    GIT_OPTIONAL_LOCKS: env.GIT_OPTIONAL_LOCKS ?? "0",
  };
}
