import { builtinModules } from "node:module";

const names = builtinModules.filter((name) => !name.startsWith("_"));
const filter = new RegExp(`^(node:.+|${names.join("|")})$`);

/** Libraries that import the functions of built-in modules by their names, as our own code does. */
const isByName = /node_modules\/@earendil-works\/pi-tui\//;

/**
 * esbuild plugin: a built-in module is fetched with `process.getBuiltinModule` instead of imported, and only when one of its functions is
 * called, so that a start pays for what it uses. (A static import runs all getters of the module: node:http loads the whole of
 * fetch, 30 ms. node:crypto takes 5 ms.) Bundled CommonJS gets the module itself from `require`.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter }, ({ path, importer, kind }) => {
      const name = path.replace(/^(node:)?/, "node:");
      // `import()` is late by itself, and its result has the names of the module.
      if (kind === "dynamic-import" && importer.includes("node_modules")) return { path: name, external: true };
      // Libraries import whole modules (`import * as fs`), and reading all members of one warns about the deprecated ones.
      const isWhole = kind === "require-call" || (importer.includes("node_modules") && !isByName.test(importer));
      return { path: name, namespace: isWhole ? "required-builtin" : "imported-builtin" };
    });
    build.onLoad({ filter: /.*/, namespace: "required-builtin" }, ({ path }) => ({ contents: `module.exports = ${get(path)}` }));
    build.onLoad({ filter: /.*/, namespace: "imported-builtin" }, ({ path }) => {
      const members = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)));
      const lines = members.flatMap(([name, member]) => {
        if (!/^[A-Za-z_$][\w$]*$/.test(name) || name === "default") return [];
        // Named exports that nobody imports are dropped, thanks to the annotation.
        const value = isPlainFunction(member.value)
          ? `(...args) => ${get(path)}.${name}(...args)`
          : typeof member.value === "function"
            ? `/* @__PURE__ */ standIn(() => ${get(path)}.${name})`
            : `/* @__PURE__ */ (() => ${get(homeOf(path, name))}.${name})()`;
        return `const _${name} = ${value}; export { _${name} as ${name} };`;
      });
      return { contents: [standIn, `export default /* @__PURE__ */ (() => ${get(path)})();`, ...lines].join("\n") };
    });
  },
};

/**
 * Source of a function that makes something to use in the place of a class, or of a function with members of its own, which it fetches
 * when it is used.
 */
export const standIn = `const standIn = (real) => {
  const proxy = new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    // A subclass keeps its own prototype; Bun 1.3 would not find that of the class behind the stand-in.
    construct: (_, args, made) => Reflect.construct(real(), args, made === proxy ? real() : made),
    get: (_, name) => real()[name],
    has: (_, name) => name in real(),
  });
  return proxy;
};`;

/** Where a constant is found that two modules have: `node:fs` is loaded in every process, `node:fs/promises` is not. */
const homeOf = (path, name) => (path === "node:fs/promises" && name === "constants" ? "node:fs" : path);

const get = (path) => `process.getBuiltinModule(${JSON.stringify(path)})`;

/** Whether a function can stand behind another one: not a class, and nothing hangs on it, such as its own form for `promisify`. */
function isPlainFunction(value) {
  if (typeof value !== "function" || /^[A-Z]/.test(value.name)) return false;
  const own = Reflect.ownKeys(value).filter((key) => !["length", "name", "prototype"].includes(key));
  return own.length === 0;
}
