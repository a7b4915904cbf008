import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/**
 * What the test does with a block.
 *
 * - `run`: it has to end by itself, with 0.
 * - `until-stopped`: it runs until it is asked to end by SIGTERM, and then has to end with 0.
 * - `no-run`: it is not run; its first line is a comment with the reason.
 */
type BlockMode = 'run' | 'until-stopped' | 'no-run'

/** A fenced block of TypeScript or of shell commands in a document. */
export interface CodeBlock {
  /** The document, from the workspace's top folder. */
  readonly document: string
  readonly language: 'ts' | 'sh'
  /** Line of the document on which the code starts, from 1. */
  readonly line: number
  readonly code: string
  readonly mode: BlockMode
  /** Why it is not run; empty when it is. */
  readonly reason: string
}

const languages: Readonly<Record<string, CodeBlock['language']>> = {
  ts: 'ts',
  typescript: 'ts',
  sh: 'sh',
  bash: 'sh',
  shell: 'sh',
}
const marks: Readonly<Record<CodeBlock['language'], readonly string[]>> = {
  ts: ['', 'until-stopped', 'no-run'],
  sh: ['', 'no-run'],
}

/**
 * Finds the blocks that open with ` ```ts ` or ` ```sh `, with the mark that may follow: ` ```ts until-stopped `.
 *
 * @throws when a block has another mark, does not end, or gives no reason for not being run.
 */
export function codeBlocksOf(document: string, text: string): CodeBlock[] {
  const lines = text.split(/\r?\n/)
  const blocks: CodeBlock[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(\s*)(`{3,})(.*)$/.exec(lines[index] ?? '')
    if (!fence) continue
    const [, indent = '', ticks = '', opening = ''] = fence
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks)
    if (end === -1) throw new Error(`Could not read ${document}:${index + 1}: the block does not end.`)
    const code = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    const block = toBlock({ document, line: index + 2, code, opening: opening.trim() })
    if (block) blocks.push(block)
    index = end
  }
  return blocks
}

interface Fenced {
  readonly document: string
  readonly line: number
  readonly code: readonly string[]
  readonly opening: string
}

function toBlock({ document, line, code, opening }: Fenced): CodeBlock | undefined {
  const [name = '', ...rest] = opening.split(/\s+/)
  const language = languages[name]
  if (!language) return undefined
  const mark = rest.join(' ')
  if (!marks[language].includes(mark)) {
    const known = marks[language].map((each) => `"${`${language} ${each}`.trim()}"`).join(', ')
    throw new Error(`Could not read ${document}:${line - 1}: "${mark}" means nothing here. Write ${known}.`)
  }
  const reason = /^(?:\/\/|#) not run: (\S.*)$/.exec(code[0] ?? '')?.[1] ?? ''
  if (mark === 'no-run' && reason === '') {
    throw new Error(
      `Could not read ${document}:${line}: say why it is not run: "not run: it needs a bucket", as a comment.`,
    )
  }
  const mode = mark === '' ? 'run' : (mark as BlockMode) // one of `marks`
  return { document, language, line, code: `${code.join('\n')}\n`, mode, reason }
}

/** The documents whose code has to work: README, the guides and the READMEs of packages. */
function documents(): string[] {
  return [
    'README.md',
    ...globSync(['docs/**/*.md', '{packages,apps}/*/README.md'], {
      cwd: workspaceFolder,
      exclude: ['docs/reference/api/**'], // written and removed by `npm run docs`
    }),
  ].toSorted()
}

/** Every block of every document. */
export function documentedCode(): CodeBlock[] {
  return documents().flatMap((document) =>
    codeBlocksOf(document, readFileSync(join(workspaceFolder, document), 'utf8')),
  )
}

/** Scripts that documents may name: those of the repository, and those of the projects that `create-homeward` makes. */
export function knownScripts(): object {
  const files = globSync(['package.json', 'apps/create-homeward/templates/*/package.json'], {
    cwd: workspaceFolder,
  })
  const read = (file: string) =>
    JSON.parse(readFileSync(join(workspaceFolder, file), 'utf8')) as { scripts: object }
  return Object.assign({}, ...files.map((file) => read(file).scripts)) as object
}
