import { join, relative, sep } from 'node:path'
import { build, type Metafile } from 'esbuild'
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
  /** Those of them that are loaded when the entry is imported: not behind an `import()`. Each once, in order. */
  readonly atImport: readonly string[]
}

/** Follows every import of an entry; what is not relative is noted and not followed. */
export async function loadGraph(owner: WorkspacePackage, entry: PackageEntry): Promise<LoadGraph> {
  const start = join(owner.folder, entry.source)
  const { metafile } = await build({
    entryPoints: [start],
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
    atImport: importedAtOnce(metafile, toWorkspacePath(start)),
  }
}

function importedAtOnce({ inputs }: Metafile, entry: string): string[] {
  const files = new Set([entry])
  const found = new Set<string>()
  for (const file of files) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      if (external) found.add(path)
      else files.add(path)
    }
  }
  return [...found].toSorted()
}

const toWorkspacePath = (path: string) => relative(workspaceFolder, path).split(sep).join('/')

/** The folder that a package's source may be in, in the form of {@link LoadGraph.files}. */
export function sourceFolder(owner: WorkspacePackage): string {
  return `${toWorkspacePath(owner.folder)}/src/`
}

/** `@scope/name/sub` → `@scope/name`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
