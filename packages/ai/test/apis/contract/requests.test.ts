import { type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Model, StreamOptions } from "../../../src/index.ts";
import { askWire, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

describe.each(wires)("$api", (wireCase) => {
  const { wire, path, baseSuffixes, credential } = wireCase;
  const ask = (options: StreamOptions = {}, overrides: Partial<Model> = {}) => askWire(wireCase, server, options, overrides);

  test("AI-029 sends no credential where there is no key, and exactly one where there is", async () => {
    server.respond(wire.text("a"), wire.text("b"), wire.text("c"));
    await ask().result();
    await ask({ apiKey: "secret" }).result();
    await ask(
      { apiKey: "secret", headers: { AUTHORIZATION: "Bearer mine" } },
      { headers: { authorization: "Bearer model" } },
    ).result();
    const sent = server.requests.map(({ headers }) =>
      credentialHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    );
    expect(sent).toEqual([[], [credential("secret")], [["authorization", "Bearer mine"]]]);
    for (const request of server.requests) expect(request.path).toBe(path);
  });

  test("AI-029 headers of the call win over the model's, whatever their case", async () => {
    server.respond(wire.text("ok"));
    await ask({ headers: { "X-Team": "call" } }, { headers: { "x-team": "model", "x-other": "model" } }).result();
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "call", "x-other": "model" });
  });

  test("AI-030 GG-014 takes a base URL with and without slash and version segment", async () => {
    for (const suffix of baseSuffixes) {
      server.respond(wire.text("ok"));
      await ask({}, { baseUrl: server.url + suffix }).result();
    }
    expect(server.requests.map((request) => request.path)).toEqual(baseSuffixes.map(() => path));
  });

  test("onPayload sees the body and may replace it", async () => {
    server.respond(wire.text("a"), wire.text("b"));
    const seen: unknown[] = [];
    await ask({ onPayload: (payload) => void seen.push(payload) }).result();
    await ask({ onPayload: () => ({ model: "other" }) }).result();
    expect(server.requests[0]?.body).toEqual(seen[0]);
    expect(server.requests[1]?.body).toEqual({ model: "other" });
  });

  test("onHeaders sees the headers of the request and may change them; onResponse sees those of the response", async () => {
    server.respond(wire.text("a"));
    const seen: unknown[] = [];
    const onHeaders = (headers: Headers) => {
      headers.set("x-trace", "t-1");
      headers.delete("x-team");
    };
    await ask({ headers: { "x-team": "call" }, onHeaders, onResponse: ({ status }) => void seen.push(status) }).result();
    expect(server.requests[0]?.headers).toMatchObject({ "x-trace": "t-1" });
    expect(server.requests[0]?.headers).not.toHaveProperty("x-team");
    expect(seen).toEqual([200]);
  });

  test("AI-016 the same call sends the same bytes twice", async () => {
    server.respond(wire.text("a"), wire.text("b"));
    await ask().result();
    await ask().result();
    expect(JSON.stringify(server.requests[0]?.body)).toBe(JSON.stringify(server.requests[1]?.body));
  });
});
