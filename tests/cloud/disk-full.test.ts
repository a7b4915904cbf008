import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const prlimit = '/usr/bin/prlimit'
const program = fileURLToPath(new URL('./disk-full-program.ts', import.meta.url))
const maxFileBytes = 2 * 1024 * 1024
const failed = JSON.stringify({ error: 'Failed to process request' })

it.skipIf(!existsSync(prlimit))(
  'answers 500 while nothing more can be written, changes nothing then, and goes on when there is room',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'homeward-full-'))
    try {
      const node = [process.execPath, '--conditions=@homeward/source', program, home]
      const { stdout } = await promisify(execFile)(prlimit, [`--fsize=${maxFileBytes}:`, ...node])
      const { whileFull, afterwards } = JSON.parse(stdout)
      expect(whileFull.accepted).toBeGreaterThan(10)
      expect(whileFull.refused).toEqual({ status: 500, text: failed })
      expect(whileFull.refusedUpload).toEqual({ status: 500, text: failed })
      expect(whileFull).toMatchObject({ stored: whileFull.accepted, filesLeft: 0 })
      expect(['pending', 'uploading']).toContain(whileFull.uploadStatus)

      expect(afterwards.stored).toBe(whileFull.accepted + 1)
      expect(afterwards.searchStatus).toBeLessThan(300)
      expect(afterwards.upload).toMatchObject({ status: 200 })
      expect(afterwards.uploadStatus).toBe('completed')
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  },
  60_000,
)
