// What the four usual tools load with the first call of one of them, in one file: most sessions use all.
export { runBash } from "./bash/run.ts";
export { runEdit } from "./edit/run.ts";
export { runRead } from "./read/run.ts";
export { runWrite } from "./write/run.ts";
