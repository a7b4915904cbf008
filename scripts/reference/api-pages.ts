import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { compilerOptions } from '../compiler-options.ts'
import type { WorkspacePackage } from '../workspace-packages.ts'
import { code, page, table } from './markdown.ts'

/** The reference of one way into a package. */
export interface ApiPage {
  /** What an importer writes: `@homeward/contract/client`. */
  readonly specifier: string
  /** Name of its file: `contract-client.md`. */
  readonly file: string
  /** Number of names that it explains. */
  readonly names: number
  readonly text: string
}

/** A name that an importer can use, and what it stands for. */
interface ApiName {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly declaration: ts.Declaration
}

/** What turns declarations into Markdown. */
interface Writer {
  readonly checker: ts.TypeChecker
  /** Finds the place of a public name, seen from the page that is written. */
  linkTo(name: string): string | undefined
}

const kinds = ['Functions', 'Classes', 'Constants', 'Types'] as const

/** Types that take more space than this are only named: the tables of all operations have a page of their own. */
const maxTypeLength = 1_200

/**
 * Writes one page for each entry of the packages from their declarations and comments: every exported name with its
 * description, signature, parameters, defaults, errors and example.
 */
export function apiPages(packages: readonly Pick<WorkspacePackage, 'folder' | 'entries'>[]): ApiPage[] {
  const entries = packages.flatMap(({ folder, entries: own }) =>
    own.map(({ specifier, source }) => ({ specifier, path: join(folder, source) })),
  )
  const program = ts.createProgram(
    entries.map(({ path }) => path),
    compilerOptions(),
  )
  const checker = program.getTypeChecker()
  const modules = entries.map(({ specifier, path }) => ({
    specifier,
    file: `${specifier.replace(/^@homeward\//, '').replaceAll('/', '-')}.md`,
    names: namesOf(program, checker, path),
  }))
  const places = placesOf(modules)
  return modules.map(({ specifier, file, names }) => {
    const linkTo = (name: string) => {
      if (names.some((own) => own.name === name)) return `#${name.toLowerCase()}`
      return places.get(name)
    }
    const text = modulePage(specifier, names, { checker, linkTo })
    return { specifier, file, names: names.length, text }
  })
}

/** Where each name is explained: in the first entry that exports it. */
function placesOf(modules: readonly { file: string; names: readonly ApiName[] }[]): Map<string, string> {
  const places = new Map<string, string>()
  for (const { file, names } of modules) {
    for (const { name } of names) if (!places.has(name)) places.set(name, `${file}#${name.toLowerCase()}`)
  }
  return places
}

function namesOf(program: ts.Program, checker: ts.TypeChecker, path: string): ApiName[] {
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`Writing the API reference failed: ${path} exports nothing.`)
  return checker
    .getExportsOfModule(module)
    .flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const declaration =
        symbol.declarations?.find((node) => kindOf(node) !== 'Types') ?? symbol.declarations?.[0]
      return declaration ? [{ name: exported.name, symbol, declaration }] : []
    })
    .toSorted((left, right) => left.name.localeCompare(right.name, 'en'))
}

function kindOf(node: ts.Declaration): (typeof kinds)[number] {
  if (ts.isFunctionDeclaration(node)) return 'Functions'
  if (ts.isClassDeclaration(node)) return 'Classes'
  if (!ts.isVariableDeclaration(node)) return 'Types'
  return node.initializer && ts.isArrowFunction(node.initializer) ? 'Functions' : 'Constants'
}

function modulePage(specifier: string, names: readonly ApiName[], writer: Writer): string {
  const groups = kinds
    .map((kind) => ({ kind, own: names.filter(({ declaration }) => kindOf(declaration) === kind) }))
    .filter(({ own }) => own.length > 0)
  const overview = groups.map(({ kind, own }) => {
    const rows = own.map((each) => [
      `[${code(each.name)}](#${each.name.toLowerCase()})`,
      summaryOf(each, writer),
    ])
    return page(`### ${kind} at a glance`, table(['Name', 'What it is'], rows)).trim()
  })
  return page(
    `# ${code(specifier)}`,
    `\`\`\`ts no-run\nimport { ${names.find(({ name }) => /^(create|define)/.test(name))?.name ?? names[0]?.name} } from '${specifier}'\n\`\`\``,
    ...overview,
    ...groups.flatMap(({ own }) => own.map((each) => namePage(each, writer))),
  )
}

const summaryOf = ({ symbol }: ApiName, writer: Writer) =>
  firstSentence(prose(symbol.getDocumentationComment(writer.checker), writer))

const firstSentence = (text: string) =>
  (/^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').trim()

function namePage({ name, symbol, declaration }: ApiName, writer: Writer): string {
  const signature = signatureOf(name, declaration, writer)
  return page(
    `## ${code(name)}`,
    prose(symbol.getDocumentationComment(writer.checker), writer),
    signature,
    ...tagSections(symbol.getJsDocTags(writer.checker), writer),
    membersOf(symbol, declaration, writer),
    seeAlso(name, declaration, writer),
  ).trim()
}

/** The text of a comment. Links to names become links to their place. */
function prose(parts: readonly ts.SymbolDisplayPart[] | undefined, { linkTo }: Writer): string {
  return ts
    .displayPartsToString([...(parts ?? [])])
    .replaceAll(/\{@link ([\w.]+)(?:[\s|][^}]*)?\}/g, (_, name: string) => {
      const place = linkTo(name.split('.')[0] ?? name)
      return place === undefined ? code(name) : `[${code(name)}](${place})`
    })
    .replaceAll(/ \([ACD]\d{1,2}(?:, [ACD]\d{1,2})*\)/g, '')
    .trim()
}

const tagTitles: Readonly<Record<string, string>> = {
  returns: 'Returns',
  throws: 'Throws',
  default: 'Default',
  see: 'See',
  deprecated: 'Deprecated',
}

function tagSections(tags: readonly ts.JSDocTagInfo[], writer: Writer): string[] {
  const parameters = tags
    .filter(({ name }) => name === 'param')
    .map(({ text }) => {
      const [, name = '', about = ''] = /^(\S+)\s*-?\s*([^]*)$/.exec(prose(text, writer)) ?? []
      return [code(name), about.replaceAll(/\s+/g, ' ')]
    })
  const others = tags.flatMap(({ name, text }) => {
    const title = tagTitles[name]
    return title === undefined ? [] : [`**${title}:** ${prose(text, writer).replace(/^\{(\w+)\}/, '`$1`')}`]
  })
  const examples = tags
    .filter(({ name }) => name === 'example')
    .map(({ text }) => exampleOf(prose(text, writer)))
  return [table(['Parameter', 'What it is'], parameters), ...others, ...examples]
}

const exampleOf = (text: string) =>
  text.includes('```') ? `**Example**\n\n${text}` : `**Example**\n\n\`\`\`ts\n${text}\n\`\`\``

/** The declaration as it is in the source, without bodies, comments and what is not public. */
function signatureOf(name: string, node: ts.Declaration, { checker }: Writer): string {
  const text = ts.isVariableDeclaration(node) ? constantText(name, node, checker) : declarationText(node)
  return text === undefined || text.length > maxTypeLength
    ? ''
    : `\`\`\`${ts.isFunctionDeclaration(node) ? 'ts no-run' : ''}\n${text}\n\`\`\``
}

function constantText(
  name: string,
  node: ts.VariableDeclaration,
  checker: ts.TypeChecker,
): string | undefined {
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope
  return `const ${name}: ${node.type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(node), node, flags)}`
}

const printer = ts.createPrinter({ removeComments: true })

function declarationText(node: ts.Declaration): string | undefined {
  const source = node.getSourceFile()
  if (ts.isFunctionDeclaration(node)) {
    const end = node.body?.getStart() ?? node.getEnd()
    return withoutComments(source.text.slice(node.getStart(), end))
      .replace(/^export (async )?/, '')
      .trim()
  }
  if (ts.isClassDeclaration(node)) {
    const parents = node.heritageClauses?.map((clause) => ` ${clause.getText()}`).join('') ?? ''
    return `class ${node.name?.text ?? ''}${parents}`
  }
  return printer
    .printNode(ts.EmitHint.Unspecified, node, source)
    .replace(/^export (declare )?/, '')
    .replaceAll(/^ {4}/gm, '  ')
    .replaceAll(/;$/gm, '')
}

const withoutComments = (text: string) => text.replaceAll(/\/\*\*[^]*?\*\/\s*/g, '')

/** What is said about the members of an interface, a class or the fields of a schema. */
function membersOf(symbol: ts.Symbol, declaration: ts.Declaration, writer: Writer): string {
  const { checker } = writer
  if (kindOf(declaration) === 'Functions' || kindOf(declaration) === 'Constants') return ''
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  if (type.isUnion() || (type.flags & ts.TypeFlags.Object) === 0) return ''
  const rows = checker
    .getPropertiesOfType(type)
    .filter((member) => isOwn(member) && !member.name.startsWith('__'))
    .map((member) => {
      const tags = member.getJsDocTags(checker)
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
      const defaults = tags.filter(({ name }) => name === 'default')
      const [fallback] = defaults.map(({ text }) => ` Default: ${defaultOf(prose(text, writer))}.`)
      const errors = tags.filter(({ name }) => name === 'throws')
      const [thrown] = errors.map(
        ({ text }) => ` Throws ${prose(text, writer).replace(/^\{(\w+)\}/, '`$1`')}`,
      )
      const about = prose(member.getDocumentationComment(checker), writer) + (fallback ?? '') + (thrown ?? '')
      return [code(member.name + (isOptional ? '?' : '')), about.replaceAll(/\s+/g, ' ').trim()]
    })
    .filter(([, about]) => about !== '')
  return table(['Member', 'What it is'], rows)
}

/** A value as code; a sentence stays one. */
const defaultOf = (text: string) => (/^[\w.'"[\]{}()-]+$/.test(text) ? code(text) : text)

/** Members of `Error`, arrays and other classes of the platform need no explanation here. */
const isOwn = (member: ts.Symbol) =>
  member.declarations?.some((node) => !node.getSourceFile().fileName.includes('/node_modules/')) ?? false

/** Other public names in the declaration, as links. */
function seeAlso(name: string, declaration: ts.Declaration, { linkTo }: Writer): string {
  const text = ts.isFunctionDeclaration(declaration)
    ? (declarationText(declaration) ?? '')
    : withoutComments(declaration.getText()).slice(0, 20_000)
  const found = new Set(text.match(/\b[A-Z]\w+/g))
  found.delete(name)
  const links = [...found].flatMap((each) => {
    const place = linkTo(each)
    return place === undefined ? [] : [`[${code(each)}](${place})`]
  })
  return links.length === 0 ? '' : `See also ${links.slice(0, 24).join(', ')}.`
}

/** The front page of the reference: every entry with the number of its names. */
export function apiIndex(
  pages: readonly ApiPage[],
  packages: readonly Pick<WorkspacePackage, 'name' | 'folder'>[],
): string {
  const sections = packages.map(({ name, folder }) => {
    const { description } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      description: string
    }
    const own = pages.filter(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`))
    const rows = own.map(({ specifier, file, names }) => [`[${code(specifier)}](${file})`, String(names)])
    return page(`## ${name.replace(/^@homeward\//, '')}`, description, table(['Entry', 'Names'], rows)).trim()
  })
  return page(
    '# API of the packages',
    'One page for each entry of each package, written from the declarations and their comments. [Versions](../../guides/versioning.md) says what a release may change.',
    ...sections,
  )
}
