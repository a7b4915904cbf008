import { chown, lstat, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { existsSync } from 'node:fs'
import { serviceUnitPath } from './service/systemd-files.ts'

/** State of the service on Linux, and so of root, who installs it. */
export const serviceStateFolder = '/var/lib/homeward-device'

/** Where the state of this device is. */
export interface StateFolder {
  readonly folder: string
  /** Whether the user named it, with `--state` or `DEVICE_STATE`. */
  readonly isNamed: boolean
}

/**
 * Finds the folder of key, pairing, outbox and audit log: `--state`, then `DEVICE_STATE`, then `/var/lib/homeward-device` for root
 * on Linux, then `~/.homeward-device`.
 *
 * @param sees whether the command only looks: then an installed service decides before the home folder does.
 */
export function findStateFolder(
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
  sees = false,
): StateFolder {
  const named = [given, environment['DEVICE_STATE']].map((path) => path?.trim() ?? '').find(Boolean)
  if (named !== undefined) return { folder: resolve(named), isNamed: true }
  const own = join(homedir(), '.homeward-device')
  if (process.platform !== 'linux') return { folder: own, isNamed: false }
  const isService =
    process.getuid?.() === 0 ||
    (sees && existsSync(serviceUnitPath) && !existsSync(join(own, 'pairing.json')))
  return { folder: isService ? serviceStateFolder : own, isNamed: false }
}

/** Gives files that root made in a folder to the owner of the folder: the service runs under a user of its own. */
export async function giveToOwner(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid === 0) return
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if ((await lstat(path)).isFile()) await chown(path, uid, gid)
  }
}
