import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { blobStoreConformance } from '@homeward/cloud-core/testing'
import { runCases } from './device-cloud-cases.ts'

/** The folder of files as each runtime that has one runs it. */
const cases = blobStoreConformance.map(({ name, run }) => ({
  name,
  run: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeward-folder-'))
    const open = () => createFsBlobs({ folder: join(folder, 'files') })
    await run({
      create: async () => ({
        blobs: open(),
        reopen: async () => open(),
        remove: () => rm(folder, { recursive: true, force: true }),
      }),
    })
  },
}))

// oxlint-disable-next-line no-console -- the one way to say something that every runtime has
console.log(JSON.stringify(await runCases(cases)))
