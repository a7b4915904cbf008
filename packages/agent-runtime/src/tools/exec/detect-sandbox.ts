import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bubblewrap } from './bubblewrap.ts'
import { namespaces } from './namespaces.ts'
import { runProcess } from './run-process.ts'
import { sandboxExec } from './sandbox-exec.ts'
import type { Sandbox } from './sandbox.ts'

const trialMs = 5000

/** Which sandbox works, or why none does. */
export type SandboxFound =
  | { readonly sandbox: Sandbox }
  | { readonly sandbox?: undefined; readonly reason: string }

/**
 * Finds the system's sandbox by running a program in it: that it is installed says little, containers and hardened
 * systems often forbid what it needs.
 *
 * @param path Search path for programs.
 */
export async function detectSandbox(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxFound> {
  if (platform === 'darwin') {
    return (await worksHere(sandboxExec, path))
      ? { sandbox: sandboxExec }
      : { reason: 'sandbox-exec does not work here' }
  }
  if (platform !== 'linux') return { reason: `there is none for ${platform}` }
  for (const sandbox of [bubblewrap, namespaces]) if (await worksHere(sandbox, path)) return { sandbox }
  return {
    reason:
      'neither bubblewrap nor user namespaces work here: install the package "bubblewrap", or allow them',
  }
}

/** Whether a program comes to its end in a sandbox. */
export async function worksHere(sandbox: Sandbox, path: string): Promise<boolean> {
  const workspace = await mkdtemp(join(await realpath(tmpdir()), 'homeward-sandbox-'))
  try {
    const request = { command: ['true'], workspace, readable: [], hidden: [], network: false }
    const { exitCode } = await runProcess({
      ...sandbox.wrap(request),
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
