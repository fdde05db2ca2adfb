import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { useMachine } from "./helpers.ts";

const machine = useMachine();

const samples = fileURLToPath(new URL("../../../coding-agent/test/fixtures/sessions", import.meta.url));

/** A folder of the machine with these session files. */
async function folderWith(...files: Record<string, string>[]): Promise<string> {
  const folder = join(machine.workspace.root, "from");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(Object.assign({}, ...files) as Record<string, string>)) {
    await writeFile(join(folder, name), text);
  }
  return folder;
}

function session(id: string, entries: readonly object[], day = "02"): Record<string, string> {
  const header = { type: "session", version: 3, id, timestamp: `2026-01-${day}T03:04:05.678Z`, cwd: "/work" };
  const lines = [header, ...entries.map((entry) => ({ timestamp: `2026-01-${day}T03:05:00.000Z`, ...entry }))];
  return { [`2026-01-${day}T03-04-05-678Z_${id}.jsonl`]: lines.map((line) => `${JSON.stringify(line)}\n`).join("") };
}

function prompt(id: string, content: string): object {
  return { type: "message", id, parentId: null, message: { role: "user", content, timestamp: 1 } };
}

/** The files of a folder and of its subfolders, by their names. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".jsonl")).sort();
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")])));
}

test("sessions are copied from files to the database, to another one, and back, without any difference", async () => {
  const odd = '{"id":"odd","type":"x","data":[1.0, 1E2, "\\u0000 \\ud800 \\u002f é 😀"],"twice":1,"twice":2}\n';
  const [[name, text] = ["", ""]] = Object.entries(session("odd", [prompt("1", "Odd")], "09"));
  const files = { ...session("s-1", [prompt("1", "One"), prompt("2", "Two")]), ...session("s-2", [], "05"), [name]: text + odd };
  const from = await folderWith(files);
  const { address } = machine;
  expect(await machine.succeed("sessions", "copy", from, address)).toBe(
    "copied   s-1  2 entries\ncopied   s-2  0 entries\ncopied   odd  2 entries\n3 copied, 0 there already, 0 failed\n",
  );
  expect((await machine.sessions("--all")).map(({ id, firstPrompt }) => [id, firstPrompt])).toEqual([
    ["odd", "Odd"],
    ["s-2", undefined],
    ["s-1", "One"],
  ]);
  const other = await createDatabase();
  await machine.succeed("sessions", "copy", address, other);
  const back = join(machine.workspace.root, "back");
  await machine.succeed("sessions", "copy", other, back);
  expect(await contentsOf(back)).toEqual(files);
  expect((await machine.sessions("--all", "--session-dir", back)).map(({ id }) => id)).toEqual(["odd", "s-2", "s-1"]);
});

test("sessions of older formats are copied as their migration writes them; they are then the same in the database and in files", async () => {
  const from = join(machine.workspace.root, "from");
  await mkdir(from);
  for (const version of ["v1", "v2", "v3"]) await cp(join(samples, `${version}.jsonl`), join(from, `${version}.jsonl`));
  const out = await machine.succeed("sessions", "copy", from, machine.address);
  expect(out).toContain("3 copied, 0 there already, 0 failed");
  const back = join(machine.workspace.root, "back");
  await machine.succeed("sessions", "copy", machine.address, back);
  expect(Object.keys(await contentsOf(back))).toHaveLength(3);
  for (const folder of [from, back]) {
    expect(await machine.succeed("sessions", "copy", folder, machine.address)).toContain("0 copied, 3 there already, 0 failed");
  }
});

test("a session that is there already is left; one that differs, and a damaged file, are errors that do not stop the others", async () => {
  const files = { ...session("same", [prompt("1", "One")]), ...session("other", [prompt("1", "One")], "03") };
  const from = await folderWith(files);
  await machine.succeed("sessions", "copy", from, machine.address);
  const [name = ""] = Object.keys(session("other", [], "03"));
  await folderWith(
    { [name]: `${files[name]}${JSON.stringify(prompt("2", "Two"))}\n` },
    { "damaged.jsonl": `${Object.values(session("damaged", [prompt("1", "One")], "04"))[0]}{"type":"mess\n` },
    session("new", [], "05"),
  );
  const { stdout, stderr, exitCode } = await machine.pi(["sessions", "copy", from, machine.address]);
  expect(stderr).toBe("");
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").sort()).toEqual([
    "",
    "1 copied, 1 there already, 2 failed",
    "copied   new  0 entries",
    `failed   damaged  ${from}/damaged.jsonl:3 is not a session entry, so the session cannot be copied without a loss. Repair the line, or remove it.`,
    "failed   other  The session other is there already, and differs from the original in line 3. Nothing was written; remove one of the two.",
    "present  same  1 entry",
  ]);
});

test("--json writes a line for each; ids choose sessions by their beginnings, and a file is one session", async () => {
  const from = await folderWith(session("ab-1", [prompt("1", "One")]), session("ab-2", []), session("b", []));
  const copy = async (...args: string[]) =>
    (await machine.succeed("sessions", "copy", ...args, "--json"))
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  expect(await copy(from, machine.address, "ab-1")).toEqual([{ id: "ab-1", status: "copied", ref: "ab-1", entries: 1 }]);
  const chosen = await copy(from, machine.address, "ab");
  expect(chosen.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(["ab-1 present", "ab-2 copied"]);
  const file = join(from, Object.keys(session("b", []))[0] ?? "");
  expect(await copy(file, machine.address)).toEqual([{ id: "b", status: "copied", ref: "b", entries: 0 }]);
  const target = join(machine.workspace.root, "one.jsonl");
  expect(await copy(machine.address, target, "ab-1")).toEqual([{ id: "ab-1", status: "copied", ref: target, entries: 1 }]);
  expect(await copy(machine.address, target, "ab-1")).toMatchObject([{ status: "present" }]);
  const full = await machine.pi(["sessions", "copy", machine.address, target, "b", "--json"]);
  expect(JSON.parse(full.stdout)).toEqual({
    id: "b",
    status: "failed",
    error: `The file ${target} exists already. Nothing was written.`,
  });
  const unknown = await machine.pi(["sessions", "copy", machine.address, target, "c"]);
  expect(unknown).toMatchObject({ stdout: "", stderr: 'No session there begins with "c". Nothing was copied.\n', exitCode: 1 });
});

test("copied to the sessions folder of pi, a session is in the folder of its working folder, where pi continues it", async () => {
  await machine.ask("We need milk.", "Noted.");
  const folder = join(machine.workspace.agentDir, "sessions");
  await machine.succeed("sessions", "copy", machine.address, folder);
  machine.address = "";
  const [listed] = await machine.sessions();
  expect(listed).toMatchObject({ firstPrompt: "We need milk.", interrupted: false });
  await machine.ask("And bread.", "Noted.", "--continue");
  expect((await machine.workspace.sessionFiles()).map((path) => basename(path))).toEqual([basename(listed?.path ?? "")]);
  expect((await machine.workspace.sessionLines()).filter(({ type }) => type === "message")).toHaveLength(4);
});

test("wrong places and arguments are refused", async () => {
  const copy = (...args: string[]) => machine.pi(["sessions", "copy", ...args]);
  const missing = join(machine.workspace.root, "missing");
  expect(await copy(missing, machine.address)).toMatchObject({
    stderr: `There is no file or folder ${missing}. Name one with sessions, or the address of a store.\n`,
    exitCode: 1,
  });
  expect(await copy("mysql://pi:hush@db/pi", machine.address)).toMatchObject({
    stderr: '"mysql://pi:…@db/pi" is no address of a session store: expected one such as postgres://user@host/database.\n',
    exitCode: 2,
  });
  expect(await copy(missing)).toMatchObject({ stderr: expect.stringMatching(/^Usage: pi sessions copy <from> <to>/), exitCode: 2 });
  expect(await copy("--al", "a", "b")).toMatchObject({ stderr: expect.stringContaining("Unknown option '--al'"), exitCode: 2 });
  expect((await copy("--help")).stdout).toMatch(/^Usage: pi sessions copy/);
});
