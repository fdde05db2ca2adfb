import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";

/** One import of a module, or one re-export. */
export interface Import {
  specifier: string;
  /** It imports types only and is gone at run time. */
  isType: boolean;
  /** It is an `import()`, which loads the module when it is reached. */
  isLate: boolean;
}

export interface ModuleImports {
  imports: Import[];
  /** Whether the module does nothing but re-export what others export. */
  isOnlyReexports: boolean;
}

/**
 * Reads all imports of a TypeScript or JavaScript file: static ones, types (`import type`, `import("…")` in a type) and `import()`.
 *
 * @throws {Error} When the file cannot be parsed, or its `import()` takes anything but a literal and is no path that is known only at run time.
 */
export function readImports(path: string): ModuleImports {
  const { program, errors } = parseSync(path, readFileSync(path, "utf8"), { lang: path.endsWith(".ts") ? "ts" : "js" });
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const imports: Import[] = [];
  const add = (source: { value?: unknown } | null, isType: boolean, isLate = false) => {
    if (typeof source?.value === "string") imports.push({ specifier: source.value, isType, isLate });
  };
  const visitor = new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, importKind === "type"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ImportExpression: ({ source }) => add(source as { value?: unknown }, false, true),
    TSImportType: ({ source }) => add(source, true),
  });
  visitor.visit(program);
  const isReexport = (statement: (typeof program.body)[number]) =>
    statement.type === "ExportAllDeclaration" || (statement.type === "ExportNamedDeclaration" && statement.source !== null);
  return { imports, isOnlyReexports: program.body.length > 0 && program.body.every(isReexport) };
}
