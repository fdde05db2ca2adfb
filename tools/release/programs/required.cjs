// The packages from a program in CommonJS.
const { stream } = require("@pikit/ai");
const { Agent } = require("@pikit/agent");
const { createAgentSession } = require("@pikit/coding-agent");
const { RpcClient } = require("@pikit/rpc-client");

console.log([stream, Agent, createAgentSession, RpcClient].map((value) => typeof value).join(" "));
