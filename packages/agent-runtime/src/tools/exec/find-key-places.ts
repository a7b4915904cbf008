import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const names = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.netrc',
  '.npmrc',
  '.git-credentials',
]

/**
 * Where people keep keys, as far as it is there. Hidden besides the data home, for a script without network may still
 * print them.
 *
 * Real paths: who manages these by links has the keys elsewhere, bubblewrap mounts over no absolute link, and macOS
 * knows files by their real paths only.
 */
export async function findKeyPlaces(home = homedir()): Promise<string[]> {
  const found = await Promise.all(names.map((name) => realpath(join(home, name)).catch(() => undefined)))
  return [...new Set(found.filter((path) => path !== undefined))]
}
