import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";

/** One import of a module, or one re-export. */
export interface Import {
  specifier: string;
  /** Whether it imports types only, so that it is gone at run time. */
  isType: boolean;
  /** Whether it is an `import()`, which loads the module when the code gets there. */
  isLate: boolean;
}

export interface ModuleImports {
  imports: Import[];
  /** Whether the module has an `import()` whose specifier is known at run time only. */
  hasUnknownImport: boolean;
  /** Whether the module consists of re-exports only. */
  isOnlyReexports: boolean;
}

/**
 * Reads all imports of a TypeScript or JavaScript file: static ones, types (`import type`, and `import("…")` in a type) and `import()`.
 *
 * @throws {Error} When the file cannot be parsed.
 */
export function readImports(path: string): ModuleImports {
  const { program, errors } = parseSync(path, readFileSync(path, "utf8"), { lang: path.endsWith(".ts") ? "ts" : "js" });
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const imports: Import[] = [];
  let hasUnknownImport = false;
  const add = (source: object | null, isType: boolean, isLate = false) => {
    const specifier = (source as { value?: unknown } | null)?.value;
    if (typeof specifier === "string") imports.push({ specifier, isType, isLate });
    else if (source !== null) hasUnknownImport = true;
  };
  const visitor = new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, importKind === "type"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ImportExpression: ({ source }) => add(source, false, true),
    TSImportType: ({ source }) => add(source, true),
  });
  visitor.visit(program);
  const isReexport = (statement: (typeof program.body)[number]) =>
    statement.type === "ExportAllDeclaration" || (statement.type === "ExportNamedDeclaration" && statement.source !== null);
  return { imports, hasUnknownImport, isOnlyReexports: program.body.length > 0 && program.body.every(isReexport) };
}
