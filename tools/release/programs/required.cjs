// The packages from a program in CommonJS.
const { stream } = require("@pikit/ai");
const { Agent } = require("@pikit/agent");
const { createAgentSession } = require("@pikit/coding-agent");
const { RpcClient } = require("@pikit/rpc-client");
const { PostgresSessionStore } = require("@pikit/postgres");
const { instrumentSession } = require("@pikit/otel");

console.log(
  [stream, Agent, createAgentSession, RpcClient, PostgresSessionStore, instrumentSession].map((value) => typeof value).join(" "),
);
