import { mkdirSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { docsArchive, packDocs, readDocsFolder } from '../../apps/homeward/src/docs/docs-pages.ts'
import { buildDashboard } from '../../apps/pages/build.ts'
import { workspaceFolder } from '../workspace-packages.ts'

/** Puts the built pages where the published package has them: nobody who installs it builds anything. */
export async function buildPages(folder: string): Promise<void> {
  await cp(await buildDashboard(), join(folder, 'dist/pages'), { recursive: true })
}

/** Puts the documentation where `homeward docs` finds it. */
export function buildDocs(folder: string): void {
  const archive = join(folder, docsArchive)
  mkdirSync(dirname(archive), { recursive: true })
  writeFileSync(archive, packDocs(readDocsFolder(join(workspaceFolder, 'docs'))))
}
