/**
 * The one way to open files, for all readers and writers of this repository: regular files only, never waiting, with a limit to what is read,
 * and never in the place of a link, a pipe or a device. `file-gate.test.ts` of coding-agent finds those that open files in other ways.
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
