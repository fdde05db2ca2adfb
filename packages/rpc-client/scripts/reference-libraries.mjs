// Run in the package's folder after the bundler, which keeps no reference. `Symbol.asyncDispose` is in no library that a program of
// today has by default; without this line its compiler would not know it.
import { readFileSync, writeFileSync } from "node:fs";

const path = "dist/index.d.ts";
writeFileSync(path, `/// <reference lib="esnext.disposable" />\n${readFileSync(path, "utf8")}`);
