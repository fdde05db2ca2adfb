import { describe, expect, onTestFinished, test } from "vitest";
import { readAddress, toFragment } from "../../src/page/address.ts";
import { refuseFile, toAttachment } from "../../src/page/model/attachments.ts";
import { Api, type ApiError } from "../../src/page/wire/api.ts";
import { Commands } from "../../src/page/wire/commands.ts";
import { Connection, type ConnectionState } from "../../src/page/wire/connection.ts";
import type { Frame } from "../../src/page/wire/frames.ts";
import { ScriptedServer, type ScriptedSession } from "./scripted-server.ts";

interface Watched {
  server: ScriptedServer;
  session: ScriptedSession;
  connection: Connection;
  commands: Commands;
  api: Api;
  frames: Frame[];
  states: ConnectionState[];
  /** Resolves with the first frame for which the function is true. */
  frame(is: (frame: Frame) => boolean): Promise<Frame>;
}

async function watch(id = "s1", token?: string): Promise<Watched> {
  const server = await ScriptedServer.start(new Map());
  const session = server.add("s1");
  const frames: Frame[] = [];
  const states: ConnectionState[] = [];
  let wake = () => {};
  const api = new Api({ origin: server.url, token: token ?? server.token });
  const connection = new Connection({
    ...{ api, session: id },
    onFrame: (frame) => {
      frames.push(frame);
      wake();
    },
    onState: (state) => states.push(state),
  });
  onTestFinished(async () => {
    connection.close();
    await server.close();
  });
  const frame = async (is: (frame: Frame) => boolean) => {
    for (;;) {
      const found = frames.find(is);
      if (found) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { server, session, connection, commands: new Commands(api, id, connection), api, frames, states, frame };
}

const notice = (text: string) => ({ type: "error", error: text });
const isNotice = (text: string) => (frame: Frame) => frame.type === "error" && frame.error === text;

describe("a connection", () => {
  test("continues where it was cut, and every frame comes once", async () => {
    const { session, connection, frames, frame } = await watch();
    void connection.run();
    await frame(({ type }) => type === "resync");
    const texts = Array.from({ length: 30 }, (_, index) => `notice ${index}`);
    for (const [index, text] of texts.entries()) {
      session.emit(notice(text));
      if (index % 10 !== 5) continue;
      await frame(isNotice(text));
      session.cut();
    }
    await frame(isNotice("notice 29"));
    expect(frames.flatMap((each) => (each.type === "error" ? [each.error] : []))).toEqual(texts);
    expect(frames.filter(({ type }) => type === "resync")).toHaveLength(1);
  });

  test("gets the state anew when the server was restarted", async () => {
    const { session, connection, frames, frame } = await watch();
    void connection.run();
    await frame(({ type }) => type === "resync");
    session.restart();
    await frame((each) => each.type === "resync" && each.reason === "epoch");
    expect(connection.epoch).toBe("e2");
    expect(frames.map(({ type }) => type)).toEqual(["ready", "resync", "ready", "resync"]);
  });

  test.each([
    ["an unknown session", "none", undefined, 404],
    ["a wrong token", "s1", "wrong", 401],
  ])("ends for %s", async (_name, id, token, status) => {
    const { connection, states } = await watch(id, token);
    await connection.run();
    expect(states.at(-1)).toMatchObject({ name: "refused", error: { status } });
    await connection.opened();
  });
});

describe("a command", () => {
  test("whose response is lost is sent again, and runs once", async () => {
    const { server, session, connection, commands } = await watch();
    void connection.run();
    server.lostResponses = 2;
    await commands.run("set_session_name", { name: "x" });
    expect(session.records.filter(({ type }) => type === "set_session_name")).toHaveLength(1);
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
  });

  test("is not sent again to a server that was restarted", async () => {
    const { server, session, connection, commands, frame } = await watch();
    void connection.run();
    await frame(({ type }) => type === "resync");
    server.lostResponses = 1;
    const running = commands.run("set_session_name", { name: "x" });
    await session.sent("set_session_name");
    session.restart();
    await expect(running).rejects.toThrow("The server was restarted before it answered.");
    expect(session.records.filter(({ type }) => type === "set_session_name")).toHaveLength(1);
  });

  test("that fails rejects with the text of the server", async () => {
    const { session, connection, commands } = await watch();
    void connection.run();
    session.on("prompt", () => {
      throw new Error("No model.");
    });
    await expect(commands.run("prompt", { message: "x" })).rejects.toThrow("No model.");
  });
});

test("the token is in a header of each request, and in no address", async () => {
  const { server, connection, commands, api } = await watch();
  void connection.run();
  await commands.run("get_messages", {});
  await api.listSessions();
  expect(server.requests.every(({ authorization }) => authorization === `Bearer ${server.token}`)).toBe(true);
  expect(server.requests.map(({ url }) => url).join()).not.toContain(server.token);
});

test("an answer of a proxy, and one without a body, are errors with a status", async () => {
  const { api } = await watch("s1", "wrong");
  const error = (await api.listSessions().catch((caught: unknown) => caught)) as ApiError;
  expect(error).toMatchObject({ name: "ApiError", status: 401, code: "unauthorized", message: "The token is wrong." });
});

test("addresses: the token is taken from the fragment, and is in none that the page makes", () => {
  expect(readAddress("#token=abc_-1&session=s%201")).toEqual({ token: "abc_-1", session: "s 1" });
  expect(readAddress("#token=a%3Cb&session=")).toEqual({});
  expect(readAddress("")).toEqual({});
  expect([toFragment("s 1"), toFragment(undefined)]).toEqual(["#session=s%201", ""]);
});

test("attachments: images and text up to a size, and nothing else", () => {
  const refused = (name: string, type: string, size = 1) => refuseFile({ name, type, size });
  expect([refused("a.png", "image/png"), refused("a.ts", ""), refused("a.svg", "image/svg+xml")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(refused("a.pdf", "application/pdf")).toBe("a.pdf is neither text nor a PNG, JPEG, GIF or WebP image.");
  expect(refused("a.bmp", "image/bmp")).toContain("neither");
  expect(refused("a.txt", "text/plain", 3_000_000)).toBe("a.txt is too large: it has 2.9 MB, the limit is 2.0 MB.");
  expect(toAttachment({ name: "", type: "image/png", size: 2 }, "aGk=")).toMatchObject({
    type: "image",
    fileName: "image",
    content: "aGk=",
  });
  expect(toAttachment({ name: "a.ts", type: "", size: 2 }, "aGk=")).toMatchObject({ type: "document", mimeType: "text/plain" });
});
