import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type WorkspacePackage, publishedPackages } from '../workspace-packages.ts'

/** A package as npm would publish it. */
export interface PackedPackage extends WorkspacePackage {
  readonly version: string
  /** The archive, absolute. */
  readonly tarball: string
  /** What the archive holds, from the package's folder. */
  readonly files: readonly string[]
}

const run = promisify(execFile)

/**
 * Packs every built package of the workspace into a folder.
 *
 * @throws {Error} when npm cannot pack one of them.
 */
export async function packAll(folder: string): Promise<PackedPackage[]> {
  const packed: PackedPackage[] = []
  for (const one of publishedPackages()) {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: one.folder })
    const [made] = Object.values(JSON.parse(stdout) as Record<string, PackReport>)
    if (!made) throw new Error(`Packing ${one.name} failed: npm named no archive.`)
    const files = made.files.map(({ path }) => path)
    packed.push({ ...one, version: made.version, tarball: join(folder, made.filename), files })
  }
  return packed
}

/** What `npm pack --json` says of one package. */
interface PackReport {
  readonly version: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}
