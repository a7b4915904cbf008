import { join } from 'node:path'
import ts from 'typescript'
import type { WorkspacePackage } from '../../scripts/workspace-packages.ts'
import { compilerOptions } from '../../scripts/compiler-options.ts'

/** What importers can name, by entry: values as they are, types with `type` in front. */
export function publicNames(packages: readonly WorkspacePackage[]): Map<string, readonly string[]> {
  const entries = packages.flatMap(({ folder, entries: own }) => {
    return own.map(({ specifier, source }) => ({ specifier, file: join(folder, source) }))
  })
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    compilerOptions(),
  )
  const checker = program.getTypeChecker()
  return new Map(
    entries.map(({ specifier, file }) => {
      const source = program.getSourceFile(file)
      const module = source && checker.getSymbolAtLocation(source)
      return [
        specifier,
        module
          ? checker
              .getExportsOfModule(module)
              .map((name) => toText(name, checker))
              .toSorted()
          : [],
      ]
    }),
  )
}

function toText(name: ts.Symbol, checker: ts.TypeChecker): string {
  const target = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name
  const isValue = (target.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(name)
  return isValue ? name.name : `type ${name.name}`
}

/** Whether a name is exported by `export type`, whatever it stands for. */
function isTypeOnly(name: ts.Symbol): boolean {
  return (name.declarations ?? []).some((declaration) => {
    return ts.isExportSpecifier(declaration) && ts.isTypeOnlyExportDeclaration(declaration)
  })
}
