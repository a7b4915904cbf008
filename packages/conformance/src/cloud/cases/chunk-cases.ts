import { CaseSkip, check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import {
  type CloudAnswer,
  type CloudCase,
  type CloudTrial,
  expectStatus,
  type OwnDevice,
} from '../cloud-trial.ts'
import { createHash } from 'node:crypto'

const chunkBytes = 65_536
const content = Buffer.alloc(3 * chunkBytes - 100, 'a file in three chunks, of which the last is shorter\n')
const chunks = [0, 1, 2].map((index) => content.subarray(index * chunkBytes, (index + 1) * chunkBytes))
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64')
const plan = { fileName: 'large.bin', size: content.length, chunkBytes, digests: chunks.map(digestOf) }

interface Upload {
  readonly begin: () => Promise<CloudAnswer>
  readonly send: (index: number, bytes?: Buffer, digest?: string) => Promise<CloudAnswer>
  readonly complete: () => Promise<CloudAnswer>
}

/** An upload in chunks; skips the case where the server offers none. */
async function startUpload(trial: CloudTrial): Promise<Upload> {
  const device: OwnDevice = await trial.register()
  const id = await trial.addUpload(device, '/home/ann/large.bin')
  const list = await device.call('GET', '/api/devices/files/upload-requests/pending')
  if (list.headers.get('upload-chunk-bytes') === null)
    throw new CaseSkip('This server does not support uploads in chunks.')
  const path = `/api/devices/files/uploads/${id}`
  return {
    begin: () => device.call('PUT', path, { json: plan }),
    send(index, bytes = chunks[index]!, digest = plan.digests[index]!) {
      const headers = { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${digest}:` }
      return device.call('PUT', `${path}/chunks/${index}`, { body: bytes, headers })
    },
    complete: () => device.call('POST', `${path}/complete`),
  }
}

const received = ({ body }: CloudAnswer) => JSON.stringify(body['received'])

/** Uploads that resume. */
export const chunkCases: readonly CloudCase[] = [
  {
    id: 'chunks-in-any-order',
    title: 'Chunks that come in any order, and again, make the file, byte by byte.',
    holds: operations.chunk,
    async run(trial) {
      const upload = await startUpload(trial)
      check(received(await upload.begin()) === '[]', 'A new plan must have no chunks.')
      for (const index of [2, 0, 0, 1]) expectStatus(await upload.send(index), `Chunk ${index}`, 200)
      const first = await upload.complete()
      check(
        first.status === 200 && first.body['success'] === true,
        `The completion must get 200, got ${first.status}.`,
      )
      const download = await trial.call('GET', String(first.body['fileUrl']))
      check(download.bytes.equals(content), 'The download must give the same bytes.')
      const again = await upload.complete()
      check(
        again.status === 200 && again.body['fileUrl'] !== undefined,
        'A repeated completion must get the stored outcome.',
      )
    },
  },
  {
    id: 'chunks-resumed',
    title: 'The same plan again names the chunks that are there.',
    holds: operations.plan,
    async run(trial) {
      const upload = await startUpload(trial)
      await upload.begin()
      await upload.send(1)
      check(received(await upload.begin()) === '[1]', 'The answer must name chunk 1.')
    },
  },
  {
    id: 'chunk-damaged',
    title: 'A chunk with other bytes, another digest or too few bytes is refused.',
    holds: operations.chunk,
    async run(trial) {
      const upload = await startUpload(trial)
      await upload.begin()
      const other = Buffer.alloc(chunkBytes, 'other')
      expectStatus(await upload.send(0, other), 'Other bytes', 400)
      expectStatus(await upload.send(0, other, digestOf(other)), 'Another digest than the planned one', 400)
      expectStatus(await upload.send(0, chunks[0]!.subarray(1)), 'Too few bytes', 400)
      check(received(await upload.begin()) === '[]', 'Nothing of it may count as received.')
    },
  },
  {
    id: 'chunks-missing',
    title: 'A completion without all chunks gets 409, and the upload goes on.',
    holds: operations.complete,
    async run(trial) {
      const upload = await startUpload(trial)
      await upload.begin()
      await upload.send(0)
      expectStatus(await upload.complete(), 'A completion without all chunks', 409)
      for (const index of [1, 2]) await upload.send(index)
      expectStatus(await upload.complete(), 'The completion with all chunks', 200)
    },
  },
]
