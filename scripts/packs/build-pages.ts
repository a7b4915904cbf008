import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { buildDashboard } from '../../apps/pages/build.ts'

/** Puts the built pages where the published package has them: nobody who installs it builds anything. */
export async function buildPages(folder: string): Promise<void> {
  await cp(await buildDashboard(), join(folder, 'dist/pages'), { recursive: true })
}
