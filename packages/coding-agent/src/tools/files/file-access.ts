/** What a path leads to. `other` is a device, pipe or socket. */
export type FileType = "file" | "directory" | "link" | "other";

export interface FileFacts {
  type: FileType;
  /** Bytes; of a link or a directory, whatever the system says. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedMs: number;
}

export interface DirectoryEntry {
  /** The last part of its path. */
  name: string;
  /** Links are not followed. */
  type: FileType;
}

/** A file that is open for reading. Close it when done. */
export interface OpenFile {
  /**
   * Reads into `buffer` from `position` (bytes from the start of the file).
   *
   * @returns Bytes read; 0 at the end.
   */
  read(buffer: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * The files that tools read and write. The default is this machine's; a host may put a container, another machine or a tree in memory
 * behind it.
 *
 * Paths are absolute. What fails rejects with an error that has Node's `code` (`ENOENT`, `EACCES` …) and `syscall`, from which the words
 * for the model are made.
 */
export interface FileAccess {
  /** What `~` stands for. Default: the home folder of this process's user. */
  readonly homeFolder?: string;
  /** The facts about what a path leads to, links followed. */
  stat(path: string): Promise<FileFacts>;
  /** The facts about the path itself, which may be a link. */
  lstat(path: string): Promise<FileFacts>;
  /** The path with all links followed. */
  realpath(path: string): Promise<string>;
  /** Where a link points, as it was written. */
  readlink(path: string): Promise<string>;
  /** In no particular order, without `.` and `..`. */
  readdir(path: string): Promise<DirectoryEntry[]>;
  open(path: string): Promise<OpenFile>;
  /** Makes a folder and those above it; one that is there is no error. */
  mkdir(path: string): Promise<void>;
  /**
   * Gives a file this content and keeps its permissions; creates it where there is none. Whatever happens, the old content or all of the
   * new is there.
   *
   * @param path - With links followed; its folder exists.
   */
  replace(path: string, content: string | Uint8Array, signal: AbortSignal): Promise<{ created: boolean }>;
}

/** What the tools that work on files take. */
export interface FileToolOptions {
  /** Default: the files of this machine. */
  files?: FileAccess;
}

/** What one call of such a tool works with. */
export interface FileToolCall {
  /** The working folder, absolute. */
  cwd: string;
  signal: AbortSignal;
  /** Default: the files of this machine. */
  files?: FileAccess | undefined;
}
