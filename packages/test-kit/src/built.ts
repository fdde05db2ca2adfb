/** Whether tests use what was built: the test command has just built it, and it starts several times as fast as the sources. */
export const usesBuilt: boolean = process.env.PIKIT_TEST_BUILT === "1";

/** Options of Node for a program that imports our packages by their names, as users do: it gets what was built, else the sources. */
export const importOptions: readonly string[] = usesBuilt ? [] : ["--conditions=pikit-source"];
