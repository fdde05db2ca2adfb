import type { FileAccess } from "../files/file-access.ts";
import type { SearchRoot } from "../search/search-root.ts";

/** A search for lines, whoever does it. */
export interface GrepRequest {
  files: FileAccess;
  root: SearchRoot;
  pattern: string;
  isLiteral: boolean;
  ignoreCase: boolean;
  /** Lines before and after each match. */
  context: number;
  /** Most matches. */
  limit: number;
  /** Which files of a folder are searched. Default: all. */
  glob?: { text: string; accepts(path: string): boolean };
  signal: AbortSignal;
}
