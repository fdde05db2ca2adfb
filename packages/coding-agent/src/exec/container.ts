/** The number of the file descriptor that a container may give to a command. */
export const containerFd = 4;

/** Something around the commands of a runner, such as a sandbox. */
export interface CommandContainer {
  /**
   * Called before each start of a command.
   *
   * @throws {ToolError} When the command must not be started.
   */
  enter(start: ContainedStart): Promise<EnteredCommand>;
}

export interface ContainedStart {
  /** The program and its arguments. */
  command: readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A command that is ready to start in its container. */
export interface EnteredCommand {
  /** The program and its arguments, with those of the container. */
  command: [program: string, ...args: string[]];
  env: NodeJS.ProcessEnv;
  /** A file descriptor of this process that the command gets as `containerFd`; undefined if it needs none. */
  fd: number | undefined;
  /** Called when the command has started or has failed to start. */
  started(): void;
  /** Called when all processes of the command's group have ended. */
  leave(): void;
  /**
   * Called with the end of a command that has failed.
   *
   * @returns A sentence about what the container has refused; undefined if it has refused nothing.
   */
  explain(output: string): string | undefined;
}
