/**
 * The statements of each version of the schema; version 1 is the first. A version that was published is never changed: a change is a new
 * version. All run in a transaction.
 *
 * @param schema - The name of the schema, quoted.
 */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
    create table ${schema}.sessions (
      key bigint generated always as identity primary key,
      id text collate "C" not null unique,
      cwd text not null,
      created_at text not null,
      parent_session text,
      -- The first line of the session, byte for byte.
      header json not null,
      modified_at timestamptz not null,
      -- The number of entries.
      length integer not null,
      -- Counts how often the session was opened to append to it.
      fence bigint not null,
      -- The store object that has the session open.
      owner bigint,
      name text,
      first_prompt text,
      is_interrupted boolean not null
    );
    create index sessions_latest on ${schema}.sessions (modified_at desc, key desc);
    -- The beginning of the folder, since an index has a limit of some 2,700 bytes.
    create index sessions_folder on ${schema}.sessions (left(cwd, 500), modified_at desc, key desc);

    -- No foreign key, which would cost a look at the session for each entry.
    create table ${schema}.entries (
      session bigint not null,
      position integer not null,
      body json not null,
      primary key (session, position)
    );

    create table ${schema}.owners (
      id bigint primary key,
      address text,
      lease interval not null,
      seen_at timestamptz not null,
      started_at timestamptz not null
    );

    create table ${schema}.kept (
      session_id text primary key,
      data json not null,
      kept_at timestamptz not null
    );
    create index kept_time on ${schema}.kept (kept_at);
  `,
  // The jobs of a work queue that workers have.
  (schema) => `
    create table ${schema}.claims (
      job uuid primary key,
      queue text not null,
      -- The number of the attempt, as the queue counts it.
      attempt integer not null,
      -- How many attempts gave the job back.
      returns integer not null,
      -- The store object of the worker.
      owner bigint not null
    );
  `,
  // Reading a session of large entries takes a quarter less time. Servers before version 14 do not have it, and some builds.
  (schema) => `
    do $$ begin
      execute 'alter table ${schema}.entries alter column body set compression lz4';
    exception when feature_not_supported or syntax_error then
      null;
    end $$;
  `,
  // The events of runs, for workers that keep them.
  (schema) => `
    create table ${schema}.events (
      id bigint generated always as identity primary key,
      session text collate "C" not null,
      job uuid not null,
      attempt integer not null,
      -- The number of the row in its attempt.
      number integer not null,
      at timestamptz not null,
      -- Records of the RPC protocol, one a line.
      lines text not null,
      unique (job, attempt, number)
    );
    create index events_session on ${schema}.events (session, id);
    create index events_time on ${schema}.events (at);
  `,
];
