const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** The maximum size of each kind of file, in bytes. */
export const fileLimits = {
  /** Settings, keys, models, trusted folders. */
  configuration: 16 * megabyte,
  streamRule: 256 * kilobyte,
  promptTemplate: 256 * kilobyte,
  skill: 256 * kilobyte,
  contextFile: 64 * kilobyte,
  /** A `package.json`. */
  manifest: 4 * megabyte,
  extension: 64 * megabyte,
  /** The answers of a scripted model. */
  script: 64 * megabyte,
  recording: 256 * megabyte,
  /** An `@file` argument. */
  argument: 64 * megabyte,
  /** An image for the model, before it is resized. */
  image: 64 * megabyte,
  /** A file for the edit tool. */
  edit: 64 * megabyte,
  /** The lock file of a session, which names its holder. */
  lock: 4 * kilobyte,
} as const;
