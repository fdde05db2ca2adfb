#!/usr/bin/env node
// The file of the command is no entry point of its package.
await import(new URL("./dist/cli.js", import.meta.resolve("@pikit/coding-agent/package.json")).href);
