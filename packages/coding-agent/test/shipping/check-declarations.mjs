// Compiles a project as tsc does, and checks the files of one folder only: those of the project, and what is installed there. tsc would check
// the declarations of Node and Zod, too, which takes three times as long. Prints errors as tsc does, and ends with code 2 then.
// Arguments: a compiler's library, the project, the folder.
import { createRequire } from "node:module";
import { join } from "node:path";

const [library = "", project = "", folder = ""] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(library);
const { config, error } = ts.readConfigFile(join(project, "tsconfig.json"), ts.sys.readFile);
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, project);
const program = ts.createProgram(fileNames, options);
const checked = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`));
const found = [
  ...(error ? [error] : []),
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  // Of all files: these cost nothing, and say whether this compiler can read them.
  ...program.getSyntacticDiagnostics(),
  ...checked.flatMap((file) => program.getSemanticDiagnostics(file)),
];
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => folder, getNewLine: () => "\n" };
process.stdout.write(ts.formatDiagnostics(found, host));
// Our declarations and those of TypeBox: a wrong folder would find nothing wrong.
if (checked.length < 100) process.stdout.write(`Only ${checked.length} files are in ${folder}.\n`);
if (found.length > 0 || checked.length < 100) process.exitCode = 2;
