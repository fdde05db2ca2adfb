import type { FileAccess } from "../files/file-access.ts";
import type { SearchRoot } from "../search/search-root.ts";

/** A search for lines, independent of the implementation. */
export interface GrepRequest {
  files: FileAccess;
  root: SearchRoot;
  pattern: string;
  isLiteral: boolean;
  ignoreCase: boolean;
  /** Lines before and after each match. */
  context: number;
  /** Maximum matches. */
  limit: number;
  /** Selects the files of a folder to search. Default: all. */
  glob?: { text: string; accepts(path: string): boolean };
  signal: AbortSignal;
}
