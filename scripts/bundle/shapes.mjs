import { build } from "esbuild";

/**
 * esbuild plugin: evaluates modules that only export data, and bundles the data. These are those named `…-shapes.ts`, which compute it from
 * schemas, and the parameters of tools. A program that only needs the data does not load the schemas and TypeBox.
 */
export const shapes = {
  name: "shapes",
  setup({ onLoad }) {
    onLoad({ filter: /-shapes\.ts$|\/src\/tools\/[\w-]+\/parameters\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        ...{ entryPoints: [path], bundle: true, write: false, format: "esm", platform: "node", conditions: ["pikit-source"] },
        logLevel: "warning",
      });
      const exported = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
      return {
        contents: Object.entries(exported)
          .map(([name, value]) => `export const ${name} = ${toSource(value, `${name} of ${path}`)};`)
          .join("\n"),
      };
    });
  },
};

/** Source of a value: as JSON, and TypeBox's marks, which are properties named by symbols. */
function toSource(value, name) {
  if (Array.isArray(value)) return `[${value.map((each) => toSource(each, name)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Reflect.ownKeys(value).map((key) => `[${toKey(key)}]:${toSource(value[key], name)}`);
    return `{${members.join(",")}}`;
  }
  const source = JSON.stringify(value);
  if (source === undefined)
    throw new Error(`${name} is a ${typeof value}, but the build takes only data of this module: see shapes.mjs`);
  return source;
}

const toKey = (key) => (typeof key === "symbol" ? `Symbol.for(${JSON.stringify(key.description)})` : JSON.stringify(key));
