import type { TestProject } from "vitest/node";
import { createWithTables } from "./database-with-tables.ts";
import { prepareEmptyData, startServer } from "./server.ts";
import { hasServerPrograms } from "./server-programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of a server for all tests, in which each test creates a database of its own. */
    postgresUrl: string;
    /** The name of a database of that server that others are copies of. */
    databaseWithTables: string;
  }
}

/** Starts one server for all tests of this package, or takes the one that `PIKIT_TEST_POSTGRES` names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.PIKIT_TEST_POSTGRES;
  if (given !== undefined && given !== "") {
    project.provide("postgresUrl", given);
    const { name, remove } = await createWithTables(given);
    project.provide("databaseWithTables", name);
    return remove;
  }
  if (!hasServerPrograms) {
    throw new Error("There is no PostgreSQL server for this platform. Set PIKIT_TEST_POSTGRES to the address of one, postgres://…");
  }
  const removeEmptyData = prepareEmptyData();
  const server = await startServer();
  project.provide("postgresUrl", server.url());
  project.provide("databaseWithTables", (await createWithTables(server.url())).name);
  return async () => {
    await server.remove();
    removeEmptyData();
  };
}
