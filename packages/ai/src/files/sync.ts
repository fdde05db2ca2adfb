/** The part of `index.ts` that every start needs: synchronous reading, limits and errors. */
export { assertRegular, FileError, type FileErrorCode, isMissing, reasonOf, tooLargeError } from "./file-error.ts";
export { fileLimits } from "./limits.ts";
export { type FileUse, type OpenFileOptions, openFileSync } from "./open-file-sync.ts";
export { type FileStart, readStartSync, readWholeSync } from "./read-file-sync.ts";
