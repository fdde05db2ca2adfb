// What the four usual tools load with the first call of one of them, in one file: most sessions use all.
export { runBash } from "./run-bash.ts";
export { runEdit } from "./run-edit.ts";
export { runRead } from "./run-read.ts";
export { runWrite } from "./run-write.ts";
