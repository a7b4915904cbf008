import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workspaceFolder } from '../workspace-packages.ts'

interface LockedPackage {
  /** Whether it is a package of the workspace, whose folder `resolved` names. */
  readonly link?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * The packages that a package of the workspace needs at run time, directly or through others, by the lock file: their
 * folders from the workspace's. Packages of the workspace itself are followed and left out.
 *
 * @param start folder of the package, from the workspace's
 * @param isWanted which of its own dependencies count
 */
export async function lockedClosure(start: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(workspaceFolder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  const found = new Set<string>()

  function visit(path: string, isFollowed: (name: string) => boolean): void {
    for (const name of Object.keys(packages[path]?.dependencies ?? {}).filter(isFollowed)) {
      const place = locate(path, name)
      const locked = place === undefined ? undefined : packages[place]
      const folder = locked?.link ? locked.resolved : place
      if (folder === undefined || found.has(folder)) continue
      found.add(folder)
      visit(folder, () => true)
    }
  }

  /** As Node looks for it: beside the package, then further up. */
  function locate(from: string, name: string): string | undefined {
    const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`
    if (packages[place]) return place
    return from === '' ? undefined : locate(from.split('/').slice(0, -1).join('/'), name)
  }

  visit(start, isWanted)
  return [...found].filter((path) => path.includes('node_modules/'))
}
