// Loaded with --require into a start of pi: writes to the file $PIKIT_CALLS which functions of ours were called until the first answer, and
// ends the process. The warm-up module is loaded right after that answer.
const { writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { registerHooks } = require("node:module");

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

// Time stands still: what is called must not depend on how long the start takes.
const now = Date.now();
Date.now = () => now;
performance.now = () => 0;
process.uptime = () => 0;

registerHooks({
  load(url, context, next) {
    if (/\/warm-up-\w+\.js$/.test(url)) session.post("Profiler.takePreciseCoverage", report);
    return next(url, context);
  },
});

function report(_error, { result }) {
  const files = result.filter(({ url }) => url.includes("/dist/command/"));
  const calls = files.map(({ url, functions }) => ({
    url,
    offsets: functions.filter(isCalled).map(({ ranges }) => ranges[0].startOffset),
  }));
  writeFileSync(process.env.PIKIT_CALLS, JSON.stringify(calls));
  process.reallyExit(0);
}

function isCalled({ ranges }) {
  return ranges[0].count > 0;
}
