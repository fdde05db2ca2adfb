import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSource } from "../../src/packages/package-source.ts";

describe("sources of packages", () => {
  test.each([
    ["npm:tools", { kind: "npm", name: "tools", version: undefined, identity: "npm:tools" }],
    ["npm:@us/tools", { kind: "npm", name: "@us/tools", version: undefined, identity: "npm:@us/tools" }],
    ["npm:@us/tools@1.2.3", { kind: "npm", name: "@us/tools", version: "1.2.3", identity: "npm:@us/tools" }],
    ["npm:tools@^2", { kind: "npm", name: "tools", version: "^2", identity: "npm:tools" }],
  ])("%s is a package of the registry", (text, source) => {
    expect(parseSource(text, "/x")).toEqual({ ...source, shown: text });
  });

  const repository = { kind: "git", folder: "host.test/us/tools", identity: "git:host.test/us/tools" };
  test.each([
    ["git:host.test/us/tools", "https://host.test/us/tools", undefined],
    ["git:host.test/us/tools@v1", "https://host.test/us/tools", "v1"],
    ["git:git@host.test:us/tools@feature/x", "git@host.test:us/tools", "feature/x"],
    ["https://host.test/us/tools.git", "https://host.test/us/tools.git", undefined],
    ["git:https://host.test/us/tools@v1", "https://host.test/us/tools", "v1"],
    ["ssh://git@HOST.test/us/tools@v1", "ssh://git@HOST.test/us/tools", "v1"],
    ["git://host.test/us/tools/", "git://host.test/us/tools/", undefined],
  ])("%s is a repository; every way to it is the same package", (text, url, ref) => {
    expect(parseSource(text, "/x")).toMatchObject({ ...repository, url, ref });
  });

  test.each([
    ["./tools", "/x/tools"],
    ["../tools", "/tools"],
    ["/a/tools", "/a/tools"],
    ["~/tools", join(homedir(), "tools")],
    ["tools", "/x/tools"],
    ["file:///a/my%20tools", "/a/my tools"],
  ])("%s is a path", (text, path) => {
    expect(parseSource(text, "/x")).toEqual({ kind: "local", path, shown: text, identity: `local:${path}` });
  });

  test("a password is not shown", () => {
    const { shown } = parseSource("https://ann:secret@host.test/us/tools@v1", "/x");
    expect(shown).toBe("https://ann:…@host.test/us/tools@v1");
  });

  test.each([
    "npm:",
    "npm:../x",
    "npm:-g",
    "npm:tools@file:../x",
    "npm:tools@https://host.test/x.tgz",
    "git:tools",
    "git:-oProxyCommand=x@host.test:us/tools",
    "git:host.test/../../etc",
    "git:host.test/us/..",
    "git:host.test/us/tools@",
    "git:host.test/us/tools@--upload-pack=x",
    "git:ext::sh -c x",
    "https://",
    "https://ann:secret@host.test/us/../..//x y",
  ])("%s is refused, in one sentence without a password", (text) => {
    expect(() => parseSource(text, "/x")).toThrow(
      expect.objectContaining({
        ...{ name: "UsageError", code: "invalid_arguments" },
        message: expect.stringMatching(/^"(?!.*secret).*" is not the source of a package: expected .*, or a path\.$/),
      }),
    );
  });
});
