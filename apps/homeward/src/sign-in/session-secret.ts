import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the secret of `session-secret` in the data home. The first start creates it, for its owner only. */
export async function readSessionSecret(home: string): Promise<string> {
  const path = join(home, 'session-secret')
  await mkdir(home, { recursive: true, mode: 0o700 })
  // Of two servers that start at once, one creates the file and both read it.
  await writeFile(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  const secret = await readFile(path, 'utf8')
  if (/^[0-9a-f]{64}$/.test(secret)) return secret
  throw new Error(
    `Starting the server failed: ${path} is incomplete. Delete the file; everybody then signs in again.`,
  )
}
