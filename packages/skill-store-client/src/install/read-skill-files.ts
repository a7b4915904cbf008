import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { SkillFile } from '../archive/unpack-zip.ts'
import { SkillStoreError } from '../skill-store-error.ts'

/** Files of a skill's folder, as they are now. @throws {SkillStoreError} `NOT_FOUND` */
export async function readSkillFiles(folder: string): Promise<SkillFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause
      throw new SkillStoreError(
        'NOT_FOUND',
        'Reading the skill failed: it is not installed. Install it first.',
        { cause },
      )
    },
  )
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map(({ parentPath, name }) => readOne(folder, join(parentPath, name))))
}

async function readOne(folder: string, path: string): Promise<SkillFile> {
  const [bytes, { mode }] = await Promise.all([readFile(path), lstat(path)])
  const executable = (mode & 0o100) !== 0
  return { path: relative(folder, path).split(sep).join('/'), bytes, ...(executable && { executable }) }
}
