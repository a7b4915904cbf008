import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** What is said about the fields of an object, by their names. */
type FieldTexts = ReadonlyMap<string, string>

/** What is said about the fields of schemas. */
interface SchemaTexts {
  /** By the variable that a schema is stored in. */
  readonly byName: ReadonlyMap<string, FieldTexts>
  /** By all names of its fields: of schemas with the same fields only what all of them say. */
  readonly byFields: ReadonlyMap<string, FieldTexts>
}

/**
 * Gives the built types of a package the comments of its schemas, and the summaries of its operations: a compiler writes the type of a
 * schema without them, and editors show what stands in the types.
 *
 * @param folder the package's folder, with `src` and `dist`
 */
export function describeDeclarations(folder: string): void {
  const texts = readSchemaTexts(globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }), folder)
  for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(path, describe(readFileSync(path, 'utf8'), texts))
  }
}

const keyOf = (names: readonly string[]) => names.toSorted().join(' ')

/** Reads what the sources say about the fields of their schemas. */
function readSchemaTexts(files: readonly string[], folder: string): SchemaTexts {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    customConditions: ['@homeward/source'],
  }
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    options,
  )
  const checker = program.getTypeChecker()
  const byName = new Map<string, FieldTexts>()
  const byFields = new Map<string, Map<string, string>>()

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const shape = shapeOf(checker, node)
      if (shape) {
        const said = textsOf(checker, shape)
        const key = keyOf(shape.getProperties().map(({ name }) => name))
        byFields.set(key, agree(byFields.get(key), said))
        if (ts.isVariableDeclaration(node.parent)) byName.set(node.parent.name.getText(), said)
      }
    }
    ts.forEachChild(node, visit)
  }

  for (const source of program.getSourceFiles()) if (source.fileName.startsWith(folder)) visit(source)
  return { byName, byFields }
}

/** The fields of an object's schema, where a call makes one. */
function shapeOf(checker: ts.TypeChecker, call: ts.CallExpression): ts.Type | undefined {
  const type = checker.getTypeAtLocation(call)
  if (type.getSymbol()?.name !== 'ZodMiniObject') return undefined
  return checker.getTypeArguments(type as ts.TypeReference)[0] // its symbol is that of a generic class
}

function textsOf(checker: ts.TypeChecker, shape: ts.Type): Map<string, string> {
  const texts = new Map<string, string>()
  for (const field of shape.getProperties())
    texts.set(field.name, ts.displayPartsToString(field.getDocumentationComment(checker)))
  return texts
}

function agree(known: ReadonlyMap<string, string> | undefined, said: ReadonlyMap<string, string>) {
  if (!known) return new Map(said)
  return new Map([...known].map(([name, text]) => [name, said.get(name) === text ? text : '']))
}

/** Adds what is said to the types of one file. */
function describe(types: string, { byName, byFields }: SchemaTexts): string {
  const source = ts.createSourceFile('types.d.ts', types, ts.ScriptTarget.ESNext, true)
  const added: { readonly at: number; readonly text: string }[] = []

  function visit(node: ts.Node, named: FieldTexts | undefined): void {
    if (!ts.isTypeLiteralNode(node)) {
      const own = ts.isVariableDeclaration(node) ? byName.get(node.name.getText()) : named
      ts.forEachChild(node, (child) => visit(child, own))
      return
    }
    const fields = node.members.filter(ts.isPropertySignature)
    const names = fields.map(({ name }) => nameOf(name))
    const isNamed = named && keyOf([...named.keys()]) === keyOf(names)
    const texts = isNamed ? named : byFields.get(keyOf(names))
    for (const field of fields) {
      const text = texts?.get(nameOf(field.name)) || summaryOf(field)
      if (text && ts.getJSDocCommentsAndTags(field).length === 0)
        added.push({ at: field.getStart(source), text })
      ts.forEachChild(field, (child) => visit(child, undefined))
    }
  }

  visit(source, undefined)
  let described = types
  for (const { at, text } of added.toSorted((one, other) => other.at - one.at))
    described = `${described.slice(0, at)}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */ ${described.slice(at)}`
  return described
}

const nameOf = (name: ts.PropertyName) =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : name.getText()

/** What an operation of a table does. */
function summaryOf({ type }: ts.PropertySignature): string | undefined {
  if (!type || !ts.isTypeLiteralNode(type)) return undefined
  const members = type.members.filter(ts.isPropertySignature)
  const find = (name: string) => members.find((member) => nameOf(member.name) === name)?.type
  const summary = find('summary')
  if (!find('path') || !summary || !ts.isLiteralTypeNode(summary)) return undefined
  return ts.isStringLiteral(summary.literal) ? summary.literal.text : undefined
}
