const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** What is read at most of a file of each kind, in bytes. */
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
  /** What is given as `@file`. */
  argument: 64 * megabyte,
  /** An image for the model, before it is made smaller. */
  image: 64 * megabyte,
  /** A file that is edited. */
  edit: 64 * megabyte,
  /** Who holds the lock of a session. */
  lock: 4 * kilobyte,
} as const;
