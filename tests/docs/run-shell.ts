import { spawn } from 'node:child_process'
import { type ChildEnd, collectOutput } from './child-output.ts'
import type { CodeBlock } from './code-blocks.ts'
import type { BlockEnvironment } from './run-block.ts'
import type { TrialServer } from './trial-server.ts'

/** Where the documents say that the two interfaces of the server are. */
const documented = { cloud: 'http://127.0.0.1:3000', agents: 'http://127.0.0.1:3010' }

/**
 * Runs the shell blocks of one document in their order and in one shell, so that a variable that an earlier block set
 * is there in a later one. The documented addresses are replaced by those of a real server. A command that fails, or a
 * request that is answered with an error, ends it.
 */
export async function runShell(
  blocks: readonly Pick<CodeBlock, 'document' | 'line' | 'code'>[],
  { url, agentsUrl }: Pick<TrialServer, 'url' | 'agentsUrl'>,
  environment: BlockEnvironment,
  signal: AbortSignal,
): Promise<ChildEnd> {
  const script = [
    'set -euo pipefail',
    'curl() { command curl --fail-with-body --max-time 30 "$@"; }',
    ...blocks.map(
      ({ document, line, code }) =>
        `echo '-- ${document}:${line}'\n${code.replaceAll(documented.cloud, url).replaceAll(documented.agents, agentsUrl)}`,
    ),
  ]
  const child = spawn('bash', ['-c', script.join('\n')], {
    env: { ...environment, PATH: process.env['PATH'] },
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return collectOutput(child).ended
}
