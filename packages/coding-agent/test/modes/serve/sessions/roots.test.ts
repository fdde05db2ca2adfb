import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionFolder } from "../../../../src/config/paths.ts";
import { openRoots } from "../../../../src/modes/serve/sessions/open-roots.ts";
import { Roots } from "../../../../src/modes/serve/sessions/roots.ts";
import { begin, call, command, openEvents } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

describe("the folder of a new session", () => {
  test.each([
    ["the root", "work", 201],
    ["a folder in it", "work/inner", 201],
    ["a link to a folder in it", "work/to-inner", 201],
    ["a way out and back", "work/inner/../../work/inner", 201],
    ["the folder above", "work/..", 403],
    ["a neighbour with the same beginning", "work-of-others", 403],
    ["a link that leads out", "work/to-others", 403],
    ["a folder behind such a link", "work/to-others/deep", 403],
    ["a missing folder behind such a link", "work/to-others/none", 403],
    ["a missing folder outside", "none", 403],
    ["a missing folder inside", "work/none", 422],
    ["a file inside", "work/file", 422],
  ])("%s: %s → %i", async (_what, path, status) => {
    const at = (name: string) => join(workspace.root, name);
    await mkdir(at("work/inner"));
    await mkdir(at("work-of-others/deep"), { recursive: true });
    await symlink(at("work/inner"), at("work/to-inner"));
    await symlink(at("work-of-others"), at("work/to-others"));
    await workspace.write("work/file", "x");
    const server = await startTestServer(workspace);
    const answer = await call(server, "POST", "/v1/sessions", { body: { cwd: `${workspace.root}/${path}`, session: "memory" } });
    expect(answer.status).toBe(status);
    if (status === 201) expect(answer.json.cwd).not.toContain("to-inner");
  });

  test("is the first root by default; each root counts, and one that is a link stands for its target", async () => {
    const [second, linked] = [join(workspace.root, "second"), join(workspace.root, "linked")];
    await mkdir(second);
    await symlink(second, linked);
    const server = await startTestServer(workspace, { roots: [workspace.cwd, linked] });
    const cwdOf = async (body: object) => (await call(server, "POST", "/v1/sessions", { body })).json.cwd;
    expect(await cwdOf({})).toBe(workspace.cwd);
    expect(await cwdOf({ cwd: second })).toBe(second);
    expect(await cwdOf({ cwd: linked })).toBe(second);
  });

  test("may be any folder below the root of the file system", async () => {
    const roots = new Roots(openRoots(["/"]));
    expect(await roots.contains(workspace.cwd)).toBe(true);
  });
});

test("a root that is missing or a file is refused at the start", async () => {
  const file = await workspace.write("plain", "");
  expect(() => openRoots([file])).toThrow(`The root ${file} is not a folder`);
  expect(() => openRoots([workspace.cwd, "/no/such"])).toThrow("The root /no/such is not a folder");
});

test("a stored session outside of the roots is neither listed nor opened nor reached by a move", async () => {
  const outside = join(workspace.root, "outside");
  await mkdir(outside);
  const wide = await startTestServer(workspace, { roots: [workspace.root] });
  const model = await workspace.script({ text: "One" }, { text: "Two" });
  const ids = new Map<string, string>();
  for (const cwd of [outside, workspace.cwd]) {
    const id = await begin(wide, { cwd, model });
    ids.set(cwd, id);
    const events = await openEvents(wide, id);
    await command(wide, id, { type: "prompt", message: `In ${cwd}` });
    await events.waitFor({ type: "agent_settled" });
  }
  const [foreign = "", own = ""] = [ids.get(outside), ids.get(workspace.cwd)];
  const { sessionFile } = (await command(wide, foreign, { type: "get_state" })).data;
  expect(sessionFile).toContain(sessionFolder(outside, workspace.agentDir));
  await wide.close();

  const server = await startTestServer(workspace);
  const list = (await call(server, "GET", "/v1/sessions")).json.sessions;
  expect(list.map(({ id }: { id: string }) => id)).toEqual([own]);
  expect((await call(server, "GET", `/v1/sessions?cwd=${outside}`)).json.sessions).toEqual([]);
  expect((await call(server, "GET", `/v1/sessions/${foreign}`)).status).toBe(404);
  expect((await call(server, "GET", `/v1/sessions/${foreign}/events`)).status).toBe(404);
  const choices = [{ path: sessionFile }, { fork: sessionFile }, { idPrefix: foreign }, { fork: foreign }];
  const statuses = await Promise.all(
    choices.map(async (session) => (await call(server, "POST", "/v1/sessions", { body: { session } })).status),
  );
  expect(statuses).toEqual([403, 403, 422, 422]);
  const moved = await command(server, own, { type: "switch_session", sessionPath: sessionFile });
  expect(moved).toMatchObject({ success: false, error: expect.stringContaining("outside of the roots") });
  expect((await command(server, own, { type: "get_state" })).data.sessionId).toBe(own);
});
