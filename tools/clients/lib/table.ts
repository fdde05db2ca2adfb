import { readFile, writeFile } from "node:fs/promises";
import type { ClientResult } from "../../lib/report.ts";

/** The table of all clients, in Markdown. */
export function clientTable(results: readonly ClientResult[]): string {
  const rows = results.map((result) => {
    const { client, version, about, passed, failed } = result;
    return `| ${code(client)} | ${version} | ${about} | ${passed.length} of ${passed.length + failed.length} |`;
  });
  return ["| client or extension | version | what is used | checks |", "|---|---|---|---|", ...rows].join("\n");
}

/** The list of what does not work: failed checks, and what is not supported. Undefined if there is nothing. */
export function problemList(results: readonly ClientResult[]): string | undefined {
  const lines = results.flatMap(({ client, version, failed, unsupported }) =>
    [...unsupported, ...failed].map(
      ({ name, reason }) => `- ${code(client)} ${version}, ${name}: ${reason.replaceAll(/\/\S*\/node_modules\//g, "")}`,
    ),
  );
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** A row for a terminal. */
export function plainRow({ client, version, passed, failed, unsupported }: ClientResult): string {
  const count = `${passed.length} of ${passed.length + failed.length}`.padStart(9);
  const rest = unsupported.length > 0 ? `, ${unsupported.length} not supported` : "";
  return `${client.padEnd(62)} ${version.padEnd(9)} ${count}${rest}`;
}

/** The name of a package as code, with the words around it as they are. */
function code(client: string): string {
  return client.replace(/@[\w-]+\/[\w-]+|^[\w-]+(?=$|,)|\bpi-acp$/, "`$&`");
}

const begin = "<!-- clients: written by npm run test:clients -- --write -->";
const end = "<!-- end of clients -->";

/**
 * Replaces the part of a page that has the tables.
 *
 * @throws {Error} When the page has no place for them.
 */
export async function writeTables(path: string, text: string): Promise<void> {
  const page = await readFile(path, "utf8");
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no part between "${begin}" and "${end}".`);
  await writeFile(path, `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`);
}
