import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const lockFile = new URL('package-lock.json', import.meta.url)
const installedLockFile = new URL('node_modules/.installed-lock.json', import.meta.url)

/** Installs what the measurements hold against, once. It is no part of the workspace: it takes about 300 MB. */
export async function installPeers(): Promise<void> {
  if (await isInstalled()) return
  console.log('Installing the libraries to compare with into bench/peers, once: npm ci --prefix bench/peers')
  const child = spawn('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error('Installing the libraries to compare with failed. npm says why, above.')
  await copyFile(lockFile, installedLockFile)
}

// Another lockfile than the one that was installed means other libraries than those that are there.
async function isInstalled(): Promise<boolean> {
  const installed = await readFile(installedLockFile, 'utf8').catch(() => undefined)
  return installed === (await readFile(lockFile, 'utf8'))
}
