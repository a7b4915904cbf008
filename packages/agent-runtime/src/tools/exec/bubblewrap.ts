import { existsSync, statSync } from 'node:fs'
import type { Sandbox } from './sandbox.ts'

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
