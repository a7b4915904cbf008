import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import type { CodeBlock } from './code-blocks.ts'

/** What running a block came to. */
export interface BlockRun {
  readonly exitCode: number | null
  /** What it printed, errors included. */
  readonly output: string
}

/**
 * Runs a block as a module in its document's folder. No file is written, and nothing of our environment is passed on
 * but the search path.
 */
export function runBlock({ code, document }: CodeBlock, signal: AbortSignal): Promise<BlockRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@homeward/source', '--input-type=module-typescript', '-'],
      {
        cwd: join(workspaceFolder, dirname(document)),
        env: { PATH: process.env['PATH'] },
        signal,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, output }))
    child.stdin.end(code)
  })
}
