import { dirname, join } from 'node:path'
import ts from 'typescript'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { compilerOptions } from '../../scripts/compiler-options.ts'
import type { CodeBlock } from './code-blocks.ts'

/**
 * Type-checks every block in one program, each as a module that stands beside its document. Nothing is written.
 *
 * @returns one line for each error: where it is in the document, and what is wrong.
 */
export function compileBlocks(blocks: readonly CodeBlock[]): string[] {
  const byFile = new Map(blocks.map((block) => [fileOf(block), block]))
  const options: ts.CompilerOptions = { ...compilerOptions(), noEmit: true, noUnusedLocals: false }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => byFile.has(name) || fileExists(name)
  host.readFile = (name) => byFile.get(name)?.code ?? readFile(name)
  host.getSourceFile = (name, version, ...rest) => {
    const block = byFile.get(name)
    return block
      ? ts.createSourceFile(name, asModule(block.code), version)
      : getSourceFile(name, version, ...rest)
  }
  const others = join(import.meta.dirname, 'other-libraries.d.ts')
  const program = ts.createProgram([others, ...byFile.keys()], options, host)
  return [...byFile].flatMap(([name, block]) => {
    const source = program.getSourceFile(name)
    if (!source) return [`${block.document}:${block.line} was not compiled`]
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map((diagnostic) => describe(block, source, diagnostic))
  })
}

/** A block is a module of its own, whether or not it imports something; the last line keeps the line numbers. */
const asModule = (code: string) => `${code}export {}\n`

function fileOf({ document, line }: CodeBlock): string {
  const folder = join(workspaceFolder, dirname(document))
  const name = document.split('/').at(-1)
  return join(folder, `${name}-line-${line}.ts`)
}

function describe(
  block: CodeBlock,
  source: ts.SourceFile,
  { start = 0, messageText }: ts.Diagnostic,
): string {
  const { line } = source.getLineAndCharacterOfPosition(start)
  return `${block.document}:${block.line + line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}
