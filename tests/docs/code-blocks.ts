import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/** A fenced block of TypeScript in a document. */
export interface CodeBlock {
  /** The document, from the workspace's top folder. */
  readonly document: string
  /** Line of the document on which the code starts, from 1. */
  readonly line: number
  readonly code: string
  /** False for a block that is marked `ts no-run`. */
  readonly runs: boolean
}

/**
 * Finds the blocks that open with ` ```ts `. One that opens with ` ```ts no-run ` is only compiled; its first line is
 * then a comment with the reason.
 *
 * @throws when a block says something else after `ts`, does not end, or gives no reason for not being run.
 */
export function codeBlocksOf(document: string, text: string): CodeBlock[] {
  const lines = text.split(/\r?\n/)
  const blocks: CodeBlock[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(\s*)(`{3,})(.*)$/.exec(lines[index] ?? '')
    if (!fence) continue
    const [, indent = '', ticks = '', language = ''] = fence
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks)
    if (end === -1) throw new Error(`Could not read ${document}:${index + 1}: the block does not end.`)
    const code = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    const block = toBlock({ document, line: index + 2, code, language: language.trim() })
    if (block) blocks.push(block)
    index = end
  }
  return blocks
}

interface Fenced {
  readonly document: string
  readonly line: number
  readonly code: readonly string[]
  readonly language: string
}

function toBlock({ document, line, code, language }: Fenced): CodeBlock | undefined {
  const [name, ...marks] = language.split(/\s+/)
  if (name !== 'ts' && name !== 'typescript') return undefined
  const mark = marks.join(' ')
  if (mark !== '' && mark !== 'no-run') {
    throw new Error(
      `Could not read ${document}:${line - 1}: "${mark}" means nothing here. Write "ts" or "ts no-run".`,
    )
  }
  if (mark === 'no-run' && !/^\/\/ not run: \S/.test(code[0] ?? '')) {
    throw new Error(
      `Could not read ${document}:${line}: say why it is not run: "// not run: it needs a bucket".`,
    )
  }
  return { document, line, code: `${code.join('\n')}\n`, runs: mark === '' }
}

/** The documents whose code has to work: README, the guides and the READMEs of packages. */
export function documents(): string[] {
  return [
    'README.md',
    ...globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: workspaceFolder }).toSorted(),
  ].filter((document) => existsSync(join(workspaceFolder, document)))
}

/** Every block of every document. */
export function documentedCode(): CodeBlock[] {
  return documents().flatMap((document) =>
    codeBlocksOf(document, readFileSync(join(workspaceFolder, document), 'utf8')),
  )
}
