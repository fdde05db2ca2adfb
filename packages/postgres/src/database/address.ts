import { UsageError } from "@pikit/coding-agent/errors";

/** The address of a database. */
export interface DatabaseAddress {
  /** With the password, if it has one: only for `pg`. */
  url: string;
  /** Without the password, for messages. */
  shown: string;
  /** The name of the schema, of letters, digits and `_`. It needs no escaping between double quotes. */
  schema: string;
}

const defaultSchema = "pikit";

/** Longer names are cut by PostgreSQL. */
const schemaPattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Reads an address such as `postgres://user:password@host:5432/database?schema=pikit`.
 *
 * @param schema - Default: `schema` of the address, else `pikit`.
 * @throws {UsageError} `invalid_arguments`. The message does not have the address, since it may have a password.
 */
export function parseAddress(text: string, schema?: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "postgres:" && url?.protocol !== "postgresql:") {
    throw new UsageError(
      "invalid_arguments",
      "The address of the database is not valid. Give one such as postgres://user@host:5432/database.",
    );
  }
  const name = schema ?? url.searchParams.get("schema") ?? defaultSchema;
  if (!schemaPattern.test(name)) {
    throw new UsageError(
      "invalid_arguments",
      `"${name.slice(0, 100)}" cannot be the schema of the store: use 1 to 63 letters, digits and "_", and no digit at the beginning.`,
    );
  }
  url.searchParams.delete("schema");
  const shown = new URL(url);
  shown.password = "";
  shown.searchParams.delete("password");
  return { url: url.href, shown: shown.href, schema: name };
}
