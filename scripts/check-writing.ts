import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { workspaceFolder } from './workspace-packages.ts'

/**
 * Counts phrases that make text hard to read, in every document, comment and text of the code. The count of a file may fall
 * and never rise; a new file starts at zero. `--update` writes lower counts down.
 */
const countsFile = join(workspaceFolder, 'scripts/writing-counts.json')

/** Phrase → the plain one. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were) (?:no|none|nobody's)\b(?! (?:longer|more|less))/gi, 'is not a, invalid, missing'],
  [/\bnone of (?:its|his|ours|theirs|\w+'s)\b/gi, 'not a ... of'],
  [
    /\b(?:anew|in vain|in the midst of|at the most|before and behind|for ever)\b/gi,
    'again, without result, during, at most, forever',
  ],
  [/\b(?:goes|went|gone|going|go) on (?:with|behind|after|by)\b/gi, 'continues, resumes'],
  [/\bby (?:itself|themselves)\b/gi, 'automatically, by default'],
  [/\bheld polls?\b/gi, 'long poll'],
  [/\b(?:small letters?|whole numbers?|blanks)\b/gi, 'lowercase, integer, spaces'],
  [/\b(?:is|are|was|were) (?:told|kept|answered|refused)\b/gi, 'is notified, stored, replied, rejected'],
  [/(?:^|[.:;] )(?:What|Whoever|Who) (?![^.?!\n]*\?)/g, 'name the thing'],
  [/\b(?:trial|example|demo) server\b/gi, 'reference server'],
]

/** Text of a TypeScript file that a person reads: comments, and strings with at least three words. */
function textsOf(path: string, code: string): string[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, false, kind)
  const texts: string[] = [...code.matchAll(/\/\*\*[^]*?\*\/|(?:^|\s)\/\/ .*$/gm)].map(([text]) => text)
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node)
    if (isText || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts.filter((text) => /\w+\s+\w+\s+\w+/.test(text))
}

const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[^]*?^\1$/gm, '').replaceAll(/`[^`\n]*`/g, '')

interface Found {
  readonly text: string
  readonly plain: string
}

function findPhrases(path: string): Found[] {
  const content = readFileSync(join(workspaceFolder, path), 'utf8')
  const texts = path.endsWith('.md') ? [withoutCode(content)] : textsOf(path, content)
  return texts.flatMap((text) =>
    phrases.flatMap(([pattern, plain]) =>
      [...text.matchAll(pattern)].map(([found]) => ({ text: found.trim(), plain })),
    ),
  )
}

const paths = globSync(
  [
    '*.md',
    'docs/**/*.md',
    '{packages,apps}/*/README.md',
    '{packages,apps}/**/{src,skills}/**/*.{ts,tsx}',
    'examples/**/*.{ts,md}',
    '.changeset/*.md',
  ],
  {
    cwd: workspaceFolder,
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      'docs/reference/*.md',
      'docs/reference/{cloud,platform}/*.md',
    ],
  },
).toSorted()

const found = new Map(paths.map((path) => [path, findPhrases(path)]))
const counts = Object.fromEntries(
  [...found].filter(([, all]) => all.length > 0).map(([path, all]) => [path, all.length]),
)

if (process.argv.includes('--update')) {
  writeFileSync(countsFile, `${JSON.stringify(counts, undefined, 2)}\n`)
} else {
  const known = JSON.parse(readFileSync(countsFile, 'utf8')) as Record<string, number>
  const worse = Object.entries(counts).filter(([path, count]) => count > (known[path] ?? 0))
  for (const [path, count] of worse) {
    console.error(`${path}: ${count} phrases that are hard to read, ${known[path] ?? 0} allowed`)
    for (const { text, plain } of found.get(path)!.slice(0, 12)) console.error(`  "${text}": write ${plain}`)
  }
  if (worse.length > 0) {
    console.error('Rewrite them in plain English. CONTRIBUTING.md says how text reads.')
    process.exitCode = 1
  }
}
const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
console.log(
  `${total} phrases that are hard to read, in ${Object.keys(counts).length} of ${paths.length} files`,
)
