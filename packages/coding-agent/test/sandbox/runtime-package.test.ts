import { expect, test } from "vitest";
import type { SandboxPlaces } from "../../src/sandbox/places.ts";
import { toConfig } from "../../src/sandbox/runtime-package.ts";

const places: SandboxPlaces = {
  ...{ folder: "/work/project", temporary: "/tmp/own/tmp", writable: ["/work/project", "/work/more"] },
  ...{ hidden: ["/home/a/.ssh", "/home/a/.pi/agent"], readable: ["/home/a/.pi/agent/skills"] },
  ...{ fixed: ["/work/project/.git/config", "/work/project/.git/hooks"], held: ["/work/project/.git"] },
  ...{ missing: ["/work/project/.pi"], forbidden: ["/work/project/.git/commondir"] },
};

test("what a sandbox allows is handed to the package of domains and of macOS", () => {
  expect(toConfig(places, { domains: ["*.npmjs.org"] })).toEqual({
    network: { allowedDomains: ["*.npmjs.org"], deniedDomains: [], allowLocalBinding: false },
    filesystem: {
      denyRead: ["/home/a/.ssh", "/home/a/.pi/agent"],
      allowRead: ["/home/a/.pi/agent/skills"],
      allowWrite: ["/work/project", "/work/more", "/tmp/own/tmp"],
      denyWrite: ["/work/project/.git/config", "/work/project/.git/hooks", "/work/project/.pi", "/work/project/.git/commondir"],
    },
  });
});
