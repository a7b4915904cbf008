import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { libraryPackages } from '../../scripts/workspace-packages.ts'
import { compilerOptions } from '../../scripts/compiler-options.ts'

const packages = libraryPackages()
const files = packages.map(({ folder, entries }) => entries.map(({ source }) => join(folder, source)))
const program = ts.createProgram(files.flat(), compilerOptions())
const checker = program.getTypeChecker()

/** What an entry exports, by its own names. */
function exportsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return module ? checker.getExportsOfModule(module).map(original) : []
}

const original = (name: ts.Symbol) =>
  name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name

/** What a function gives, without the promise around it. */
function givenBy(builder: ts.Symbol): ts.Type | undefined {
  const [signature] = checker.getTypeOfSymbol(builder).getCallSignatures()
  const given = signature?.getReturnType()
  return given && (checker.getAwaitedType(given) ?? given)
}

// A host exports what it built, and its compiler has to write down the type. Without a name of the package, that is
// another package's, which pnpm does not let it name, or every schema of the interface.
it.each(packages.map(({ name }, at) => ({ name, files: files[at] ?? [] })))(
  '$name exports the name of what each of its builders gives',
  ({ files: entries }) => {
    const exported = new Set(entries.flatMap(exportsOf))
    const builders = [...exported].filter(({ name }) => /^(?:create|open)[A-Z]/.test(name))
    const unnamed = builders.filter((builder) => {
      const given = givenBy(builder)
      const name = given?.aliasSymbol ?? given?.getSymbol()
      // these are written down as they are
      const isFunction = given?.getCallSignatures().length === 1
      const isString = given?.flags === ts.TypeFlags.String
      return !isFunction && !isString && (!name || !exported.has(name))
    })
    expect(unnamed.map(({ name }) => name)).toEqual([])
  },
)
