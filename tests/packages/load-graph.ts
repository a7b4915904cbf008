import { join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import {
  type PackageEntry,
  type WorkspacePackage,
  workspaceFolder,
} from '../../scripts/workspace-packages.ts'

/** What an entry loads, as the bundler found it in the source. Imports of types only do not count: nothing loads them. */
export interface LoadGraph {
  /** Files of the workspace, from its top folder, with `/`. */
  readonly files: readonly string[]
  /** Imports that are not relative, with the file that has them. */
  readonly imports: readonly { readonly file: string; readonly specifier: string }[]
}

/** Follows every import of an entry; what is not relative is noted and not followed. */
export async function loadGraph(owner: WorkspacePackage, entry: PackageEntry): Promise<LoadGraph> {
  const { metafile } = await build({
    entryPoints: [join(owner.folder, entry.source)],
    absWorkingDir: workspaceFolder,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    outdir: 'nowhere', // nothing is written
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const files = Object.keys(metafile.inputs)
  return {
    files,
    imports: Object.entries(metafile.inputs).flatMap(([file, { imports }]) => {
      return imports.filter(({ external }) => external).map(({ path }) => ({ file, specifier: path }))
    }),
  }
}

/** The folder that a package's source may be in, in the form of {@link LoadGraph.files}. */
export function sourceFolder(owner: WorkspacePackage): string {
  return `${relative(workspaceFolder, owner.folder).split(sep).join('/')}/src/`
}

/** `@scope/name/sub` → `@scope/name`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
