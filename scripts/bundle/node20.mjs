import { readFileSync, writeFileSync } from "node:fs";

const source =
  "function promiseWithResolvers(){let resolve,reject;const promise=new Promise((a,b)=>{resolve=a;reject=b});return{promise,resolve,reject}}";

/**
 * esbuild plugin for what our code uses, and what we bundle, and Node 20 lacks. Each file gets a function of its own for it: a library
 * must not add one to the promises of the program that loads it, and a module to import would be one more file to read at start.
 */
export const node20 = {
  name: "node20",
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, "Promise.withResolvers": "promiseWithResolvers" };
    build.onEnd(({ metafile }) => {
      for (const file of Object.keys(metafile?.outputs ?? {})) {
        if (!file.endsWith(".js")) continue;
        const text = readFileSync(file, "utf8");
        if (!text.includes("promiseWithResolvers")) continue;
        // A function can stand behind its uses, and so the source map stays right. The line that names the map is the last.
        const end = text.lastIndexOf("\n//# sourceMappingURL") + 1 || text.length;
        writeFileSync(file, `${text.slice(0, end)}${source}\n${text.slice(end)}`);
      }
    });
  },
};
