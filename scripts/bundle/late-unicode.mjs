import { readFile } from "node:fs/promises";

/** What the module has of each kind: another number means that a new version has to be looked at. */
const expected = { patterns: 6, segmenters: 2 };

/**
 * esbuild plugin: the terminal library makes patterns with Unicode properties and its segmenters when it is loaded, which takes 25 ms of a start; here
 * they are made when they are used first. Its behaviour stays the same.
 */
export const lateUnicode = {
  name: "late-unicode",
  setup(build) {
    build.onLoad({ filter: /pi-tui\/dist\/utils\.js$/, namespace: "file" }, async ({ path }) => {
      const count = { patterns: 0, segmenters: 0 };
      const late = (kind) => (_all, head, value) => {
        count[kind] += 1;
        return `${head}madeLate(() => ${value});`;
      };
      const source = (await readFile(path, "utf8"))
        .replace(/^(const \w+ = )(\/.+\/v);$/gm, late("patterns"))
        .replace(/^(const \w+ = )(new Intl\.Segmenter\(.*\));$/gm, late("segmenters"));
      if (count.patterns !== expected.patterns || count.segmenters !== expected.segmenters) {
        throw new Error(`${path} has ${JSON.stringify(count)}, but ${JSON.stringify(expected)} was expected: see late-unicode.mjs`);
      }
      return { contents: `${source}\n${madeLate}`, loader: "js" };
    });
  },
};

/** A stand-in for an object that is made when one of its properties is read. */
const madeLate = `function madeLate(make) {
  let made;
  return new Proxy({}, {
    get(_target, name) {
      made ??= make();
      const value = Reflect.get(made, name);
      return typeof value === "function" ? value.bind(made) : value;
    },
  });
}`;
