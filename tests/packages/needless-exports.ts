import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { workspaceFolder, workspacePackages } from '../../scripts/workspace-packages.ts'

/** A name that a file exports although no other file imports it, and no entry of a package names it. */
interface NeedlessExport {
  /** From the top folder of the workspace. */
  readonly file: string
  readonly name: string
}

interface SourceModule {
  readonly file: string
  readonly exports: readonly string[]
  readonly imports: readonly SourceImport[]
}

/** Names that a file takes from another one. `all` stands for a namespace, `export *` or `import()`. */
interface SourceImport {
  readonly specifier: string
  readonly names: readonly string[] | 'all'
}

/** Programs that other programs load by their path, and settings of tools. */
const loadedByPath =
  /^examples\/hosts\/worker|^bench\/[^/]+\/contenders\/|^scripts\/mutation\/ignore|^tests\/runtimes\/durable-object-entry|\.config\.ts$|\.d\.ts$/

/** Reads every source file of the workspace, tests too, and compares exports with imports. */
export function findNeedlessExports(): readonly NeedlessExport[] {
  const patterns = ['*.ts', '{packages,apps}/**/*.{ts,tsx}', '{bench,examples,scripts,tests}/**/*.{ts,tsx}']
  const files = globSync(patterns, {
    cwd: workspaceFolder,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  })
  const packages = workspacePackages()
  const entries = new Map(
    packages.flatMap(({ folder, entries: own }) =>
      own.map(({ specifier, source }) => [specifier, join(folder, source)] as const),
    ),
  )
  const isEntry = new Set(entries.values())
  const modules = files.map((path) => readModule(join(workspaceFolder, path)))
  const used = new Map<string, Set<string> | 'all'>()
  for (const { file, imports } of modules) {
    for (const { specifier, names } of imports) {
      const target = specifier.startsWith('.') ? resolve(dirname(file), specifier) : entries.get(specifier)
      if (target !== undefined) markUsed(used, target, names)
    }
  }
  return modules.flatMap(({ file, exports }) => {
    const path = file.slice(workspaceFolder.length + 1).replaceAll('\\', '/')
    const known = used.get(file)
    if (known === 'all' || isEntry.has(file) || loadedByPath.test(path)) return []
    return exports.filter((name) => !known?.has(name)).map((name) => ({ file: path, name }))
  })
}

function markUsed(
  used: Map<string, Set<string> | 'all'>,
  file: string,
  names: readonly string[] | 'all',
): void {
  const known = used.get(file) ?? new Set<string>()
  if (names === 'all' || known === 'all') used.set(file, 'all')
  else used.set(file, new Set([...known, ...names]))
}

function readModule(file: string): SourceModule {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const imports: SourceImport[] = []
  const visit = (node: ts.Node): void => {
    const specifier = importedByCall(node)
    if (specifier !== undefined) imports.push({ specifier, names: 'all' })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return {
    file,
    exports: source.statements.flatMap(exportedNames),
    imports: [...imports, ...source.statements.flatMap(importedNames)],
  }
}

/** `import('./a.ts')`, as a value or as a type, and what a test replaces with `vi.mock`. */
function importedByCall(node: ts.Node): string | undefined {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal)
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isImport ? textOf(node.arguments[0]) : undefined
}

const textOf = (node: ts.Node | undefined) => (node && ts.isStringLiteralLike(node) ? node.text : undefined)

function importedNames(statement: ts.Statement): SourceImport[] {
  if (ts.isImportDeclaration(statement)) {
    const specifier = textOf(statement.moduleSpecifier) ?? ''
    const { name, namedBindings } = statement.importClause ?? {}
    if (namedBindings && ts.isNamespaceImport(namedBindings)) return [{ specifier, names: 'all' }]
    const named = namedBindings?.elements.map((each) => (each.propertyName ?? each.name).text) ?? []
    return [{ specifier, names: name ? ['default', ...named] : named }]
  }
  if (!ts.isExportDeclaration(statement)) return []
  const specifier = textOf(statement.moduleSpecifier)
  if (specifier === undefined) return []
  const { exportClause } = statement
  if (!exportClause || ts.isNamespaceExport(exportClause)) return [{ specifier, names: 'all' }]
  return [{ specifier, names: exportClause.elements.map((each) => (each.propertyName ?? each.name).text) }]
}

function exportedNames(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement
    return exportClause && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : []
  }
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  const kinds = modifiers?.map(({ kind }) => kind) ?? []
  if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
  const { name } = statement as { readonly name?: ts.Node } & ts.Statement
  return name && ts.isIdentifier(name) ? [name.text] : []
}

const boundNames = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((each) => (ts.isBindingElement(each) ? boundNames(each.name) : []))
