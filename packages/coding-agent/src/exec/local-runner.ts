// What createLocalProcesses loads with its first command.
export { killTree } from "./kill-tree.ts";
export { runCommand } from "./run-command.ts";
export { isOurGroup } from "./running-groups.ts";
