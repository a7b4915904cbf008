import { lstat, readdir, rm } from 'node:fs/promises'
import { openFolder } from '../../tools/workspace/open-folder.ts'
import { isResultName, resultsFolder } from '../../tools/workspace/stored-results.ts'
import { openWorkspace, type WorkspaceLimits } from '../../tools/workspace/workspace.ts'

/** The full text of a result that was shortened in the prompt. */
export interface ResultFile {
  /** Relative to the workspace. */
  readonly path: string
  readonly text: string
}

/** Beyond these the oldest results are removed. */
const maxFiles = 1000
const maxBytes = 128 * 1024 * 1024

/**
 * Writes results into the workspace, unless they are there. Keeps the newest 1,000 results, and at most 128 MiB. Files with other
 * names stay.
 *
 * @param root Absolute path of the workspace.
 * @throws {RuntimeError} `validation_error` if the workspace is full, or the folder is something else.
 */
export async function saveResults(
  root: string,
  files: readonly ResultFile[],
  limits: Partial<WorkspaceLimits> = {},
): Promise<void> {
  const workspace = openWorkspace(root, limits)
  let hasWritten = false
  for (const { path, text } of files) {
    const bytes = Buffer.from(text)
    const known = await workspace.read(path, 0, 1).catch(() => undefined)
    if (known?.size === bytes.length) continue
    await workspace.write(path, bytes, 'replace')
    hasWritten = true
  }
  if (hasWritten) await removeOld(root)
}

async function removeOld(root: string): Promise<void> {
  const folder = await openFolder(root, [resultsFolder])
  try {
    const names = (await readdir(folder.path)).filter(isResultName)
    const found = await Promise.all(
      names.map(async (name) => {
        const { mtimeMs, size } = await lstat(folder.entry(name)).catch(() => ({ mtimeMs: 0, size: 0 }))
        return { name, mtimeMs, size }
      }),
    )
    let bytes = 0
    for (const [at, { name, size }] of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).entries()) {
      bytes += size
      if (at >= maxFiles || bytes > maxBytes) await rm(folder.entry(name), { force: true })
    }
  } finally {
    await folder.close()
  }
}
