import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'

const trialMs = 5000

/**
 * Whether a command comes to a good end here, in the sandbox if there is one: that something is installed says little.
 *
 * @param path Search path for programs.
 */
export async function worksHere(
  command: readonly string[],
  sandbox: Sandbox | undefined,
  path: string,
): Promise<boolean> {
  const workspace = await mkdtemp(join(await realpath(tmpdir()), 'homeward-trial-'))
  try {
    const { exitCode } = await runProcess({
      ...(sandbox?.wrap({ command, workspace, readable: [], hidden: [], network: false }) ?? { command }),
      cwd: workspace,
      environment: { PATH: path },
      timeoutMs: trialMs,
      maxOutputBytes: 4096,
    })
    return exitCode === 0
  } catch {
    // it is not installed
    return false
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}
