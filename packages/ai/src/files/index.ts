/**
 * All code of this repository opens files through these functions. They open only regular files, never block, limit the bytes that are
 * read, and never replace a link, a pipe or a device. `file-gate.test.ts` of coding-agent finds code that opens files in other ways.
 */
export { followLinks, followLinksSync } from "./follow-links.ts";
export { makeFolder, makeFolderSync } from "./make-folder.ts";
export { openFile } from "./open-file.ts";
export { assertReadable, readStart, readWhole } from "./read-file.ts";
export { type NewContent, type ReplaceOptions, replaceFile } from "./replace-file.ts";
export { replaceFileSync } from "./replace-file-sync.ts";
export {
  assertRegular,
  FileError,
  type FileErrorCode,
  type FileStart,
  type FileUse,
  fileLimits,
  isMissing,
  type OpenFileOptions,
  openFileSync,
  readStartSync,
  readWholeSync,
  reasonOf,
  tooLargeError,
} from "./sync.ts";
