import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isResourceExhausted } from '../../ports/is-resource-exhausted.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'

const trialMs = 5000

/**
 * Whether a command comes to a good end here, in the sandbox if there is one: that something is installed says little.
 *
 * @param path Search path for programs.
 * @throws {RuntimeError} `run_error`, retryable, when it could not be tried out.
 */
export async function canRunCommand(
  command: readonly string[],
  sandbox: Sandbox | undefined,
  path: string,
): Promise<boolean> {
  const workspace = await makeTrialFolder().catch(notTried)
  try {
    const { exitCode } = await runProcess({
      ...(sandbox?.wrap({ command, workspace, readable: [], hidden: [], network: false }) ?? { command }),
      cwd: workspace,
      environment: { PATH: path },
      timeoutMs: trialMs,
      maxOutputBytes: 4096,
    })
    return exitCode === 0
  } catch (error) {
    // otherwise it is not installed
    return isResourceExhausted(error) ? notTried(error) : false
  } finally {
    // an empty folder that stays among the temporary ones is no reason to fail
    await rm(workspace, { recursive: true, force: true }).catch(() => {})
  }
}

async function makeTrialFolder(): Promise<string> {
  return mkdtemp(join(await realpath(tmpdir()), 'homeward-trial-'))
}

function notTried(cause: unknown): never {
  const text = `Testing the sandbox failed: the test program could not be started (${codeOf(cause)}). Try again later.`
  throw new RuntimeError('run_error', text, { cause, retryable: true })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
