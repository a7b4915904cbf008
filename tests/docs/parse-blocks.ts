import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Runtime, installRuntimes, programOf } from '../runtimes/install-runtimes.ts'
import type { CodeBlock } from './code-blocks.ts'

/**
 * Parses every block on a Node, in one process: what runs on ours may have syntax that an older one refuses.
 *
 * @returns one line for each block that it refuses.
 */
export async function parseBlocks(blocks: readonly CodeBlock[], node: Runtime): Promise<string[]> {
  await installRuntimes()
  const found = programOf(node)
  if ('reason' in found) throw new Error(`Parsing the blocks failed: ${found.reason}`)
  const args = ['--no-warnings', '--experimental-vm-modules', join(import.meta.dirname, 'parse-program.ts')]
  const parsing = promisify(execFile)(found.path, args)
  parsing.child.stdin?.end(JSON.stringify(blocks.map(({ code }) => code)))
  const errors = JSON.parse((await parsing).stdout) as (string | null)[]
  return errors.flatMap((error, index) => {
    const block = blocks[index]
    return error !== null && block ? [`${block.document}:${block.line} ${error}`] : []
  })
}
