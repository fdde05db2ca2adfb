import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../helpers/server.ts";
import { giveToServer, hasServerPrograms, isRoot, serverUser } from "../helpers/server-programs.ts";
import { append, begin, connect, errorOf, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

/** Runs a program that sees a small file system, which vanishes with it, at a path that the others see empty. */
const withSmallDisk = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=24m tmpfs "$1" && shift && exec "$@"', "sh"];
const canMount = isRoot && hasServerPrograms && spawnSync("unshare", [...withSmallDisk.slice(1), "/mnt", "true"]).status === 0;

/** Megabytes, which cannot be compressed. */
const large = () => randomBytes(512 * 1024).toString("hex");

test.skipIf(!canMount)(
  "while the disk is full an append fails and stores nothing; with free space again it stores everything once",
  async () => {
    const { uid, gid } = serverUser;
    const server = await startServer({}, (folder) => {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      giveToServer(disk);
      const asServer = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
      return [...withSmallDisk, disk, "sh", "-c", `chown ${uid}:${gid} "$0" && exec "$@"`, disk, ...asServer];
    });
    onTestFinished(() => server.remove());
    const admin = await connect(server.url());
    await admin.query(`create tablespace small location '${join(server.folder, "disk")}'`);
    await admin.query("create database sessions tablespace small");
    const url = server.url("sessions");
    const client = await connect(url);

    const store = openStore(url);
    const [log, other] = [await begin(store, "s-1", [message("1")]), await begin(store, "s-2", [message("1")])];
    await client.query("create table ballast (bytes text)");
    const fill = async () => {
      for (;;) await client.query("insert into ballast values ($1)", [large()]);
    };
    expect(await errorOf(fill)).toMatchObject({ code: "53100" });

    const entry = message("2", large());
    const [one, two] = await Promise.all([
      errorOf(() => append(log, [entry])),
      errorOf(() => append(other, [message("2", large())])),
    ]);
    for (const error of [one, two]) {
      expect(error).toMatchObject({
        code: "write_failed",
        message: expect.stringContaining("Free space on the disk of the server"),
      });
    }
    expect(await storedIdsOf(store, "s-1")).toEqual(["1"]);

    await client.query("drop table ballast");
    await append(log, [entry, message("3")]);
    expect(await storedIdsOf(store, "s-1")).toEqual(["1", "2", "3"]);
    expect(await storedIdsOf(store, "s-2")).toEqual(["1"]);
  },
);
