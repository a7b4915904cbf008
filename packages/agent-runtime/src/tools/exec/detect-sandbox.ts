import { bubblewrap } from './bubblewrap.ts'
import { namespaces } from './namespaces.ts'
import { sandboxExec } from './sandbox-exec.ts'
import type { Sandbox } from './sandbox.ts'
import { canRunCommand } from './can-run-command.ts'

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
    return (await comesToItsEnd(sandboxExec, path))
      ? { sandbox: sandboxExec }
      : { reason: 'sandbox-exec does not work here' }
  }
  if (platform !== 'linux') return { reason: `no sandbox supports ${platform}` }
  for (const sandbox of [bubblewrap, namespaces]) if (await comesToItsEnd(sandbox, path)) return { sandbox }
  return {
    reason:
      'bubblewrap and user namespaces are not available. Install the package "bubblewrap", or allow user namespaces',
  }
}

const comesToItsEnd = (sandbox: Sandbox, path: string) => canRunCommand(['true'], sandbox, path)
