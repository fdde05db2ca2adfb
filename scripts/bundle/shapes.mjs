import { build } from "esbuild";

/**
 * esbuild plugin: evaluates the modules named `…-shapes.ts` and bundles what they export as data. They compute it from schemas, and a
 * program that only needs the data does not load the schemas and TypeBox.
 */
export const shapes = {
  name: "shapes",
  setup({ onLoad }) {
    onLoad({ filter: /-shapes\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        ...{ entryPoints: [path], bundle: true, write: false, format: "esm", platform: "node", conditions: ["pikit-source"] },
        logLevel: "warning",
      });
      const exported = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
      return {
        contents: Object.entries(exported)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join("\n"),
      };
    });
  },
};
