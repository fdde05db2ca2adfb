/**
 * The one way to open files, for all readers and writers of this repository: regular files only, never waiting, with a limit to what is read,
 * and never in the place of a link, a pipe or a device. `file-gate.test.ts` of coding-agent finds those that open files in other ways.
 */
export { assertRegular, FileError, type FileErrorCode, isMissing, reasonOf, tooLargeError } from "./file-error.ts";
export { followLinks, followLinksSync } from "./follow-links.ts";
export { makeFolder, makeFolderSync } from "./make-folder.ts";
export { type FileUse, type OpenFileOptions, openFile, openFileSync } from "./open-file.ts";
export { assertReadable, type FileStart, fileLimits, readStart, readStartSync, readWhole, readWholeSync } from "./read-file.ts";
export { type NewContent, type ReplaceOptions, replaceFile } from "./replace-file.ts";
export { replaceFileSync } from "./replace-file-sync.ts";
