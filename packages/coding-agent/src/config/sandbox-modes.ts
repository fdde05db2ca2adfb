/**
 * Modes of the sandbox of commands. `workspace`: commands run in a sandbox; where this machine cannot make one, they run without it, after a
 * warning. `require`: without a sandbox they do not run.
 */
export const sandboxModes = ["off", "workspace", "require"] as const;

export type SandboxMode = (typeof sandboxModes)[number];

/** The sandbox of a session. */
export interface SandboxSettings {
  /** Default: `off`. */
  mode?: SandboxMode;
  /** Whether commands have a network, or the domains that they may reach, such as `*.npmjs.org`. Default: false. */
  network?: boolean | readonly string[];
  /** Further folders and files that can be written: absolute, or relative to the working folder; `~` is the home folder. */
  writable?: readonly string[];
  /** Folders and files that can be read although they are hidden by default. */
  readable?: readonly string[];
  /** Further folders and files that cannot be read. */
  hidden?: readonly string[];
}
