import type { Call, Rule, Table } from "../shell/call.ts";
import { plainArg } from "../shell/words.ts";
import { sqlChange } from "./interpreters.ts";

const isOwnMachine = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)([:/?#]|$)/;
const changingMethod = /^(delete|put|patch)$/i;

/** Requests to this machine are the developer's own servers. */
function change(call: Call, method: string | undefined, urls: readonly ReturnType<typeof plainArg>[]): void {
  if (method !== undefined && changingMethod.test(method) && !urls.every(({ text }) => isOwnMachine.test(text ?? "")))
    call.does("remote");
}

const curl: Rule = (call) => {
  const { values, has, operands } = call.options(
    "o output output-dir d data data-raw data-binary data-urlencode json H header X request u user A user-agent e referer b cookie c cookie-jar " +
      "F form T upload-file m max-time connect-timeout retry retry-delay x proxy w write-out D dump-header K config r range E cert cacert key url",
  );
  const urls = [...operands, ...values("url")];
  call.does("network");
  const outputs = values("o", "output");
  const folders = values("output-dir");
  call.writes([...outputs, ...folders, ...values("c", "cookie-jar", "D", "dump-header")]);
  change(call, values("X", "request")[0]?.text ?? (has("T", "upload-file") ? "put" : undefined), urls);
  if (has("O", "remote-name", "remote-name-all")) outputs.push(...saveHere(call, urls));
  return download(call, outputs);
};

const wget: Rule = (call) => {
  const { values, operands, has } = call.options(
    "O output-document P directory-prefix o output-file a append-output U user-agent t tries T timeout e execute header post-data i Q w method",
  );
  call.does("network");
  const outputs = values("O", "output-document");
  const folders = values("P", "directory-prefix");
  call.writes([...outputs, ...folders, ...values("o", "output-file", "a", "append-output")]);
  change(call, values("method")[0]?.text, operands);
  if (outputs.length === 0 && !has("spider")) outputs.push(...saveHere(call, operands, folders[0]?.text));
  return download(call, outputs);
};

/** HTTPie and similar: `http DELETE url`. */
const http: Rule = (call) => {
  const { operands } = call.options("a auth o output");
  call.does("network");
  change(call, operands[0]?.text, operands.slice(1, 2));
  return { kind: "download" };
};

/** Records and returns the files of downloads in the current folder, which have the last names of their URLs. */
function saveHere(call: Call, urls: readonly ReturnType<typeof plainArg>[], folder?: string) {
  if (folder === undefined) call.writes([plainArg(".")]);
  const start = folder === undefined ? "" : `${folder}/`;
  return urls.flatMap(({ text }) =>
    text === undefined ? [] : [plainArg(start + text.replace(/[?#].*$/, "").slice(text.lastIndexOf("/") + 1))],
  );
}

function download({ shell }: Call, files: readonly ReturnType<typeof plainArg>[]) {
  for (const { text } of files) shell.remember(text, { kind: "download" });
  return { kind: "download" } as const;
}

/** A client of a database: its statements are in options, or in its input. */
function database(options: string, valued = "", changes = sqlChange): Rule {
  return (call) => {
    const { values, operands } = call.options(`${options} ${valued}`);
    const given = [...values(...options.split(" ")), ...operands].map(({ text, source }) => text ?? source);
    const { input } = call;
    const texts = input.kind === "text" ? [...given, input.text] : given;
    if (texts.some((text) => changes.test(text))) call.does("data");
    else call.does("unknown");
    if (texts.some((text) => /^\s*\.(output|once|save|backup|shell|system)\b/m.test(text))) call.does("inlineCode");
    return undefined;
  };
}

const documents =
  /\b(drop\w*|delete\w*|remove\w*|update\w*|replaceOne|renameCollection|FLUSHALL|FLUSHDB|flushall|flushdb|DEL|del|UNLINK|unlink|CONFIG|SHUTDOWN|shutdown)\b/;

export const network: Table = {
  curl,
  wget,
  "http https xh": http,
  "aria2c fetch lwp-request GET lynx w3m": (call) => {
    call.does("network");
    return { kind: "download" };
  },
  "ping dig nslookup host traceroute mtr whois nc ncat netcat telnet nmap openssl ftp sftp socat ab wrk hey k6 ngrok cloudflared": (
    call,
  ) => call.does("network"),
  "psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd cockroach": database(
    "c command e execute",
    "h host p port U u user d dbname f file D database o",
  ),
  "mongo mongosh redis-cli valkey-cli": database("eval e", "h p a n u", documents),
  "ssh-keygen gpg": (call) => {
    const { values, has } = call.options("f t b C N P");
    if (has("delete-key", "delete-secret-key", "delete-keys", "delete-secret-keys")) call.does("data");
    const files = values("f");
    if (call.name === "gpg" || has("l", "F")) call.does("unknown");
    else call.writes(files.length > 0 ? files : [plainArg(`${call.shell.home}/.ssh/id_rsa`)]);
    return undefined;
  },
  "dropdb dropuser": (call) => call.does("data"),
  mysqladmin: (call) =>
    call.does(call.args.some(({ text }) => /^(drop|shutdown|flush.*|password)$/.test(text ?? "drop")) ? "data" : "unknown"),
  pg_restore: (call) => call.does(call.options().has("c", "clean") ? "data" : "unknown"),
  "pg_dump pg_dumpall mysqldump": (call) => {
    call.does("network");
    return call.writes(call.options("h p U u d n t F f file").values("f", "file"));
  },
};
