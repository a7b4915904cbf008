import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { workspaceFolder } from './workspace-packages.ts'

/**
 * Prints random sentences to judge how text reads: of README and docs, of error messages, of the pages, or of
 * comments of exported names and their members. The same seed
 * gives the same sentences as long as no text changes.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    of: { type: 'string', default: 'errors' },
  },
})

type Found = readonly [place: string, text: string]

const filesOf = (patterns: readonly string[]) =>
  globSync(patterns, {
    cwd: workspaceFolder,
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/*.test*',
      '**/testing/**',
      'docs/reference/*.md',
      'docs/reference/{cloud,platform}/*.md',
    ],
  }).toSorted()

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')

/** Sentences of prose: without code blocks, tables and headings. */
function sentencesOf(path: string): Found[] {
  const prose = read(path)
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((block) => !/^\s*[#|<>]/.test(block))
  return prose
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) (?=[A-Z`*“"])/))
    .map((text) => text.trim())
    .filter((text) => text.split(' ').length >= 5)
    .map((text) => [path, text])
}

/** The text of a node, with `…` for each expression in it. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/g, ' ').trim()
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === undefined || right === undefined ? undefined : left + right
}

function textsOf(path: string, isWanted: (text: string, node: ts.Node) => boolean): Found[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true, kind)
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    const text = textOf(node)
    if (text === undefined || ts.isJsxText(node)) ts.forEachChild(node, visit)
    if (text === undefined || !isWanted(text, node)) return
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    found.push([`${path}:${line + 1}`, text])
  }
  visit(file)
  return found
}

/** Names that the entries of the packages export. The contract exports every name of its files. */
function publicNames(): ReadonlySet<string> {
  const entries = filesOf(['packages/*/src/**/index.ts', 'packages/kit/src/*.ts'])
  const lists = entries.flatMap((path) => [...read(path).matchAll(/export (?:type )?\{([^}]*)\}/g)])
  return new Set(lists.flatMap(([, list = '']) => list.match(/\w+/g) ?? []))
}

/** Doc comments of declarations that users of a package can name, and of their members. */
function commentsOf(path: string, names: ReadonlySet<string>): Found[] {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)
  const found: Found[] = []
  const add = (node: ts.Node, owner = ''): void => {
    const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    const name = `${owner}${ts.isPropertySignature(node) || ts.isMethodSignature(node) ? node.name.getText() : ''}`
    if (comment)
      found.push([`${path}:${line + 1} ${name}`.trim(), comment.getText().replaceAll(/\s*\n\s*\* ?/g, ' ')])
  }
  for (const statement of file.statements) {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) continue
    const [, own = ''] =
      /^export (?:async )?(?:const|function\*?|interface|type|class) (\w+)/.exec(statement.getText()) ?? []
    if (!names.has(own) && !path.startsWith('packages/contract/')) continue
    add(statement)
    if (ts.isInterfaceDeclaration(statement))
      for (const member of statement.members) add(member, `${statement.name.text}.`)
  }
  return found
}

/** Whether there is more to judge than what stands in the place of expressions. */
const hasWords = (text: string) => (text.match(/[A-Za-z]{2,}/g) ?? []).length >= 4

const isOfError = (text: string, { parent }: ts.Node) =>
  hasWords(text) && (/ failed\b/.test(text) || ts.isNewExpression(parent))

const kinds: Readonly<Record<string, () => Found[]>> = {
  docs: () => filesOf(['README.md', 'docs/**/*.md']).flatMap(sentencesOf),
  errors: () => filesOf(['{packages,apps}/*/src/**/*.ts']).flatMap((path) => textsOf(path, isOfError)),
  comments: () => {
    const names = publicNames()
    return filesOf(['packages/*/src/**/*.ts']).flatMap((path) => commentsOf(path, names))
  },
  pages: () =>
    filesOf(['apps/pages/src/**/*.{ts,tsx}']).flatMap((path) =>
      textsOf(path, (text) => /^[A-Z“][^]* /.test(text)),
    ),
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const listTexts = kinds[values.of]
if (!listTexts) throw new Error(`Sampling texts failed: "--of" must be ${Object.keys(kinds).join(', ')}.`)
const random = createRandom(Number(values.seed))
const sample = listTexts()
  .map((found) => ({ found, order: random() }))
  .toSorted((a, b) => a.order - b.order)
  .slice(0, Number(values.count))
for (const { found } of sample) console.log(`${found[0]}\n  ${found[1]}`)
