import { copyFile, readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runStep } from './run-step.ts'
import { workspaceFolder } from './workspace-packages.ts'

/**
 * Installs a package that is no part of the workspace, because few need it and it is large: once, and again when its
 * lockfile has changed.
 *
 * @param folder where its package.json and its lockfile are; ends with a slash
 * @param what names it for people
 */
export async function installOnce(folder: URL, what: string): Promise<void> {
  const lockFile = new URL('package-lock.json', folder)
  const installedLockFile = new URL('node_modules/.installed-lock.json', folder)
  const installed = await readFile(installedLockFile, 'utf8').catch(() => undefined)
  // Another lockfile than the one that was installed means other libraries than those that are there.
  if (installed === (await readFile(lockFile, 'utf8'))) return
  const path = relative(workspaceFolder, fileURLToPath(folder))
  console.log(`Installing ${what} into ${path}, once: npm ci --prefix ${path}`)
  const code = await runStep('npm', ['ci', '--prefix', path, '--ignore-scripts', '--no-audit', '--no-fund'])
  if (code !== 0) throw new Error(`Installing ${what} failed. npm says why, above.`)
  await copyFile(lockFile, installedLockFile)
}
