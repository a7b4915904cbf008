import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { docsArchive, packDocs, readDocsFolder } from '../../apps/homeward/src/docs/docs-pages.ts'
import { workspaceFolder } from '../workspace-packages.ts'

/** Puts the built pages where the published package has them: nobody who installs it builds anything. */
export async function buildPages(folder: string): Promise<void> {
  // In a process of its own, so that NODE_ENV of this one does not choose React's development build.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@homeward/source', join(workspaceFolder, 'apps/pages/build.ts')],
    { env: { ...process.env, NODE_ENV: 'production' } },
  )
  await cp(stdout.trim(), join(folder, 'dist/pages'), { recursive: true })
}

/** Puts the documentation where `homeward docs` finds it. */
export function buildDocs(folder: string): void {
  const archive = join(folder, docsArchive)
  mkdirSync(dirname(archive), { recursive: true })
  writeFileSync(archive, packDocs(readDocsFolder(join(workspaceFolder, 'docs'))))
}
