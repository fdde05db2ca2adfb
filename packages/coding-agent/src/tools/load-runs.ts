/** Loads what carries out calls of the four usual tools, with the first call of one of them. May be called early, to have it ready. */
export const loadRuns = () => import("./runs.ts");
