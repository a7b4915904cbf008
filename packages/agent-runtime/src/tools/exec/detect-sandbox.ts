import { namespaces } from './namespaces.ts'
import type { Sandbox } from './sandbox.ts'
import { canRunCommand } from './can-run-command.ts'
import { existsSync, statSync } from 'node:fs'

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

/**
 * The sandbox of macOS. The last rule that matches counts. There is no private /tmp: programs write in the workspace
 * only.
 */
export const sandboxExec: Sandbox = {
  kind: 'sandbox-exec',
  wrap({ command, workspace, readable, hidden, network }) {
    const rules = [
      '(version 1)',
      '(allow default)',
      '(deny file-write*)',
      '(allow file-write* (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty"))',
      ...hidden.map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
      ...readable.map((path) => `(allow file-read* (subpath ${quote(path)}))`),
      `(allow file-read* file-write* (subpath ${quote(workspace)}))`,
      ...(network ? [] : ['(deny network*)']),
      '(deny process-info* (target others))',
      '(deny signal (target others))',
      '(allow signal (target same-sandbox))',
    ]
    return { command: ['sandbox-exec', '-p', rules.join('\n'), ...command], wrappers: 0 }
  },
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`
}

const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus']

/**
 * The sandbox of Linux desktops. Everything can be read but the data home and what `hidden` names; the program sees
 * no process but its own and gets no capability; when it ends, or we do, whatever it left running ends too.
 */
export const bubblewrap: Sandbox = {
  kind: 'bubblewrap',
  wrap({ command, workspace, readable, hidden, network }) {
    const own = new Set([workspace, ...readable])
    const masked = ['/tmp', '/var/tmp', '/run', '/dev/shm'].filter((path) => isFolder(path))
    const setup = [
      ['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'],
      network ? [] : ['--unshare-net'],
      ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      // root could change the kernel's settings there, whatever its capabilities
      ...kernelSettings.filter((path) => existsSync(path)).map((path) => ['--ro-bind', path, path]),
      // sockets of services lie in /run: a read-only mount would not keep anybody from calling them
      ...masked.map((path) => ['--tmpfs', path]),
      network ? nameServers() : [],
      ...hidden.filter((path) => !own.has(path)).map(hide),
      ...readable.map((path) => ['--ro-bind', path, path]),
      ['--bind', workspace, workspace, '--chdir', workspace],
    ]
    // bubblewrap sets PWD, which nobody asked for
    return { command: ['bwrap', ...setup.flat(), '--', 'env', '-u', 'PWD', '--', ...command], wrappers: 2 }
  },
}

function hide(path: string): string[] {
  if (!existsSync(path)) return []
  return isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Where resolvers keep what /etc/resolv.conf links to. */
function nameServers(): string[] {
  return ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']
    .filter((path) => isFolder(path))
    .flatMap((path) => ['--ro-bind', path, path])
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
