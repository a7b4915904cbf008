import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runStep } from '../scripts/run-step.ts'
import { workspaceFolder } from '../scripts/workspace-packages.ts'

/** agent-runtime and what it imports. */
const packages = ['contract', 'skill-store-client', 'agent-runtime']

/** Builds the packages when there is no build of them, or an older one than their source. */
export async function ensureBuild(): Promise<void> {
  const sources = await Promise.all(
    packages.map((name) => newest(join(workspaceFolder, 'packages', name, 'src'))),
  )
  const builds = await Promise.all(
    packages.map((name) => newest(join(workspaceFolder, 'packages', name, 'dist'))),
  )
  if (sources.every((changedAt, index) => changedAt < (builds[index] ?? 0))) return
  console.log('Building the packages: npm run build')
  const code = await runStep('node', ['scripts/build.ts'])
  if (code !== 0) throw new Error('Building the packages failed. Its output says why.')
}

/** When a file of a folder was changed last; 0 without the folder. */
async function newest(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const times = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).mtimeMs),
  )
  return Math.max(0, ...times)
}
