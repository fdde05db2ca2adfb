/** The type of a file. `other` is a device, pipe or socket. */
export type FileType = "file" | "directory" | "link" | "other";

export interface FileFacts {
  type: FileType;
  /** Bytes. For links and directories, the value of the system. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedMs: number;
  /** Permission bits. Undefined if the file system has none. */
  mode?: number;
}

export interface DirectoryEntry {
  /** The last segment of the path. */
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
 * The file system of the tools. The default is that of this machine; a host may implement it with a container, another machine or a tree in
 * memory.
 *
 * Paths are absolute. Failing operations must reject with an error that has Node's `code` (`ENOENT`, `EACCES` …) and `syscall`; the message
 * for the model is derived from them.
 */
export interface FileAccess {
  /** The folder for `~`. Default: the home folder of the user of this process. */
  readonly homeFolder?: string;
  /** The files that `grep`, `find` and `ls` look through. Default: these. */
  readonly searched?: FileAccess;
  /** Returns the facts about a path; follows links. */
  stat(path: string): Promise<FileFacts>;
  /** Returns the facts about a path; does not follow links. */
  lstat(path: string): Promise<FileFacts>;
  /** Resolves all links in a path. */
  realpath(path: string): Promise<string>;
  /** Returns the target of a link, unchanged. */
  readlink(path: string): Promise<string>;
  /** Returns the entries in any order, without `.` and `..`. */
  readdir(path: string): Promise<DirectoryEntry[]>;
  open(path: string): Promise<OpenFile>;
  /** Creates a folder and its parents; an existing folder is not an error. */
  mkdir(path: string): Promise<void>;
  /**
   * Replaces the content of a file and keeps its permissions; creates a missing file. Must be atomic: after a failure the file has either the
   * old or the whole new content.
   *
   * @param path - With links resolved; its folder exists.
   */
  replace(path: string, content: string | Uint8Array, signal: AbortSignal): Promise<{ created: boolean }>;
  /** Removes a file or a link, or an empty folder. Without it, an undo cannot remove files that tools have created. */
  remove?(path: string): Promise<void>;
  /** Sets the permission bits of a file. Without it, an undo does not restore them. */
  setMode?(path: string, mode: number): Promise<void>;
  /** Creates a link with this target, unchanged. Without it, an undo does not restore links. */
  makeLink?(path: string, target: string): Promise<void>;
}

/** Keeps the content of files before tools change them, so that it can be put back. */
export interface FileKeeper {
  /**
   * Called before a tool replaces a file or creates it, and its folders. Never rejects: what cannot be kept is reported, and the tool goes on.
   *
   * @param path - With links resolved.
   * @param content - The content that the file is going to have.
   * @param before - Its present content, if the tool has read it.
   * @returns `discard` forgets the change if the file is as it was. Called when the tool has failed. Never rejects.
   */
  keep(change: {
    toolCallId: string;
    files: FileAccess;
    path: string;
    content: string | Uint8Array;
    before?: Uint8Array;
  }): Promise<{ discard(): Promise<void> }>;
}

/** The options of tools that work on files. */
export interface FileToolOptions {
  /** Default: the files of this machine. */
  files?: FileAccess;
  /** Keeps the files that the tools change. Default: they are not kept. */
  keeper?: FileKeeper;
}

/** The context of one call of such a tool. */
export interface FileToolCall {
  /** The working folder, absolute. */
  cwd: string;
  signal: AbortSignal;
  /** Default: the files of this machine. */
  files?: FileAccess | undefined;
}

/** The context of one call of a tool that changes files. */
export interface FileChangeCall extends FileToolCall {
  toolCallId: string;
  /** Default: files are not kept. */
  keeper?: FileKeeper | undefined;
}
