import { readFile } from "node:fs/promises";
import { basename } from "node:path";

/** What the modules have of each kind: another number means that a new version has to be looked at. */
const expected = {
  "utils.js": { patterns: 6, segmenters: 2, built: 0 },
  "editor.js": { patterns: 0, segmenters: 0, built: 3 },
};

/**
 * esbuild plugin: the terminal library makes patterns with Unicode properties and its segmenters when it is loaded, which takes 25 ms of a start, and
 * builds three more for an editor; here they are made when they are used first. Its behaviour stays the same.
 */
export const lateUnicode = {
  name: "late-unicode",
  setup(build) {
    build.onLoad({ filter: /pi-tui\/dist\/(?:utils|components\/editor)\.js$/, namespace: "file" }, async ({ path }) => {
      const count = { patterns: 0, segmenters: 0, built: 0 };
      const wanted = expected[basename(path)];
      const late = (kind) => (_all, head, value) => {
        count[kind] += 1;
        return `${head}madeLate(() => ${value});`;
      };
      const source = (await readFile(path, "utf8"))
        .replace(/^(const \w+ = )(\/.+\/v);$/gm, late("patterns"))
        .replace(/^(const \w+ = )(new Intl\.Segmenter\(.*\));$/gm, late("segmenters"))
        .replace(/^(const \w+ = |\s+return )(new RegExp\(.*\));$/gm, late("built"));
      if (JSON.stringify(count) !== JSON.stringify(wanted)) {
        throw new Error(`${path} has ${JSON.stringify(count)}, but ${JSON.stringify(wanted)} was expected: see late-unicode.mjs`);
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
