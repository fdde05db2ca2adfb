import { type Database, inTransaction } from "../database/database.ts";
import { isAboutData } from "../errors.ts";
import { Batcher } from "./batcher.ts";
import { columnText, type Facts } from "./facts.ts";
import { inPortions, insertEntries } from "./insert-entries.ts";

/** Entries for a session that this owner has open. */
export interface Append {
  key: string;
  fence: string;
  /** The number of entries that the session has before. */
  length: number;
  /** One line each, without line ends. */
  lines: readonly string[];
  facts: Facts;
}

/** A new session and its first entries. */
export interface Creation {
  id: string;
  cwd: string;
  createdAt: string;
  parentSession: string | undefined;
  /** The header's line. */
  header: string;
  lines: readonly string[];
  facts: Facts;
}

/** Maximum characters of a batch of several sessions, and of one statement for one session. */
const maxSize = 4 * 1024 * 1024;

/** Maximum number of sessions of a batch. */
const maxItems = 500;

/** Writes the appends of all sessions of one owner. Appends that come while others are written are written together, in one statement. */
export class Appends {
  readonly #database: Database;
  readonly #owner: string;
  readonly #appends: Batcher<Append, boolean>;
  readonly #creations: Batcher<Creation, string | undefined>;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
    const { patienceMs } = database;
    const common = { maxSize, maxItems, patienceMs, sizeOf, isOfOne: isAboutData };
    this.#appends = new Batcher<Append, boolean>({ ...common, run: (items, deadline) => this.#append(items, deadline) });
    this.#creations = new Batcher<Creation, string | undefined>({
      ...common,
      run: (items, deadline) => this.#create(items, deadline),
    });
  }

  /**
   * Stores entries, all or none.
   *
   * @returns False if nothing was stored because the session is gone, is open elsewhere, or has another number of entries.
   */
  append(append: Append): Promise<boolean> {
    return this.#appends.add(append);
  }

  /**
   * Stores a new session, which is then open with the fence 1.
   *
   * @returns Its key; undefined if there is a session with this id.
   */
  create(creation: Creation): Promise<string | undefined> {
    return this.#creations.add(creation);
  }

  async #append(items: readonly Append[], deadline: number): Promise<boolean[]> {
    const rows = await this.#run<{ key: string }>(appendStatement(this.#database.schema), items, deadline, [
      items.map(({ key }) => key),
      items.map(({ fence }) => fence),
      items.map(({ length }) => length),
    ]);
    const granted = new Set(rows.map(({ key }) => key));
    return items.map(({ key }) => granted.has(key));
  }

  async #create(items: readonly Creation[], deadline: number): Promise<(string | undefined)[]> {
    const rows = await this.#run<{ key: string; id: string }>(createStatement(this.#database.schema), items, deadline, [
      items.map(({ id }) => id),
      items.map(({ cwd }) => columnText(cwd)),
      items.map(({ createdAt }) => columnText(createdAt)),
      items.map(({ parentSession }) => (parentSession === undefined ? null : columnText(parentSession))),
      items.map(({ header }) => header),
    ]);
    const keys = new Map(rows.map(({ key, id }) => [id, key]));
    return items.map(({ id }) => keys.get(id));
  }

  /** Runs a statement whose first parameters are these columns. The entries of a large item follow in statements of their own. */
  async #run<Row extends { key: string }>(
    statement: string,
    items: readonly (Append | Creation)[],
    deadline: number,
    columns: readonly unknown[],
  ): Promise<Row[]> {
    const values = (lines: unknown[]) => [
      ...columns,
      items.map((item) => item.lines.length),
      ...columnsOf(items.map(({ facts }) => facts)),
      this.#owner,
      ...lines,
    ];
    const [first] = items;
    if (items.length > 1 || !first || sizeOf(first) <= maxSize)
      return this.#database.query(statement, values(linesOf(items)), deadline);
    // Run again after a lost connection: it has no effect if the first run was committed, because the length differs then.
    return this.#database.use(
      (client) =>
        inTransaction(client, async () => {
          const { rows } = await client.query<Row>(statement, values(linesOf([])));
          const [row] = rows;
          let position = startOf(first);
          if (!row) return rows;
          for await (const lines of inPortions([first.lines])) {
            await insertEntries(client, this.#database.schema, row.key, position, lines);
            position += lines.length;
          }
          return rows;
        }),
      deadline,
    );
  }
}

/** The characters of the lines. */
function sizeOf({ lines }: { lines: readonly string[] }): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

function columnsOf(facts: readonly Facts[]): unknown[] {
  return [
    facts.map(({ name }) => name ?? null),
    facts.map(({ firstPrompt }) => firstPrompt ?? null),
    facts.map(({ isInterrupted }) => isInterrupted ?? null),
  ];
}

/** The lines of all items: for each the number of its item (from 1) and its position, and one text of all lines, which needs no escaping. */
function linesOf(items: readonly (Append | Creation)[]): unknown[] {
  const numbers = items.flatMap(({ lines }, index) => lines.map(() => index + 1));
  const positions = items.flatMap((item) => item.lines.map((_line, index) => startOf(item) + index));
  return [numbers, positions, items.flatMap(({ lines }) => lines).join("\n")];
}

/** The position of the first line of an item. */
function startOf(item: Append | Creation): number {
  return "length" in item ? item.length : 0;
}

function appendStatement(schema: string): string {
  return `
    with item as (
      select * from unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::text[], $6::text[], $7::bool[])
        with ordinality as i (key, fence, length, added, name, first_prompt, is_interrupted, number)
    ), granted as (
      update ${schema}.sessions s
      set length = i.length + i.added, modified_at = clock_timestamp(), name = coalesce(i.name, s.name),
        first_prompt = coalesce(s.first_prompt, i.first_prompt), is_interrupted = coalesce(i.is_interrupted, s.is_interrupted)
      from item i
      where s.key = i.key and s.fence = i.fence and s.length = i.length and s.owner = $8
      returning s.key, i.number
    ), written as (
      insert into ${schema}.entries (session, position, body)
      select g.key, l.position, l.body::json
      from unnest($9::int[], $10::int[], string_to_array($11, e'\\n')) as l (number, position, body)
      join granted g on g.number = l.number
    )
    select key::text from granted`;
}

function createStatement(schema: string): string {
  return `
    with item as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::bool[])
        with ordinality as i (id, cwd, created_at, parent_session, header, length, name, first_prompt, is_interrupted, number)
    ), made as (
      insert into ${schema}.sessions (id, cwd, created_at, parent_session, header, modified_at, length, fence, owner,
        name, first_prompt, is_interrupted)
      select id, cwd, created_at, parent_session, header::json, clock_timestamp(), length, 1, $10,
        name, first_prompt, coalesce(is_interrupted, false)
      from item
      on conflict (id) do nothing
      returning key, id
    ), written as (
      insert into ${schema}.entries (session, position, body)
      select m.key, l.position, l.body::json
      from unnest($11::int[], $12::int[], string_to_array($13, e'\\n')) as l (number, position, body)
      join item i on i.number = l.number join made m on m.id = i.id
    )
    select key::text, id from made`;
}
