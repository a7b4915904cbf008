import { join } from 'node:path'
import { check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import { failure, json, type Reply, reset } from '../cloud/reply.ts'
import type { TestUpload } from '../cloud/pending-work.ts'
import type { DeviceOperation, SeenRequest } from '../cloud/seen-request.ts'
import type { DeviceCase, DeviceTrial } from '../device-trial.ts'
import { contents } from '../prepared-files.ts'
import { onlyFirst } from './broken-answer-cases.ts'
import { uploadWhole } from './upload-cases.ts'

const chunkBytes = 65_536
const large = 'large-sample.bin'
const content = contents[large]!
const chunkOf = (index: number) => content.subarray(index * chunkBytes, (index + 1) * chunkBytes)
const indexOf = ({ url }: SeenRequest) => Number(url.split('/').at(-1))
const sentTimes = (trial: DeviceTrial, index: number) =>
  trial.of('chunk').filter((request) => indexOf(request) === index).length

/** Asks for the large file of a cloud that offers chunks. */
async function uploadInChunks(trial: DeviceTrial): Promise<TestUpload> {
  trial.cloud.chunkBytes = chunkBytes
  return uploadWhole(trial, large)
}

const lostOnce = (
  id: string,
  what: string,
  operation: DeviceOperation,
  reply: Reply,
  isStored = false,
): DeviceCase => ({
  id,
  title: `After ${what} the file still arrives, and chunks that arrived are not sent again.`,
  holds: decisions.chunks,
  async run(trial) {
    let hits = 0
    trial.cloud.meddle = async (request, work) => {
      const isTarget = request.operation === operation && (operation !== 'chunk' || indexOf(request) === 2)
      if (!isTarget || ++hits > 1) return undefined
      if (isStored) await work()
      return reply
    }
    await uploadInChunks(trial)
    check(isStored || hits > 1, 'The request that failed must be sent again.')
    check(
      sentTimes(trial, 0) === 1,
      `The first chunk arrived; it must be sent once, got ${sentTimes(trial, 0)} times.`,
    )
  },
})

/** The plan's answer names chunks that came before. */
function knowing(trial: DeviceTrial, indexes: readonly number[]): void {
  trial.cloud.meddle = async (request, work) => {
    if (request.operation !== 'plan') return undefined
    await work()
    for (const { plan, id, settled } of trial.cloud.work.uploads.values()) {
      if (!plan || !request.url.includes(id)) continue
      for (const index of indexes) plan.chunks.set(index, chunkOf(index))
      return json({ id, received: [...plan.chunks.keys()], settled })
    }
    return undefined
  }
}

/** Uploads that resume. */
export const chunkCases: readonly DeviceCase[] = [
  {
    id: 'chunks-whole',
    title: 'A file larger than the offered chunk is planned, sent in chunks and completed.',
    holds: operations.plan,
    async run(trial) {
      const upload = await uploadInChunks(trial)
      check(
        upload.forms.length === 0 && trial.of('complete').length > 0,
        'The file must come in chunks, not as a form.',
      )
      check(
        upload.plan?.fileName === large,
        `"fileName" of the plan must be ${large}, got ${upload.plan?.fileName}.`,
      )
    },
  },
  {
    id: 'chunks-small-file',
    title: 'A file up to the offered size is sent as one form.',
    holds: operations.uploads,
    async run(trial) {
      trial.cloud.chunkBytes = chunkBytes
      const upload = await uploadWhole(trial, 'alpha-notes.txt')
      check(upload.forms.length === 1, 'A small file must be sent as one form.')
    },
  },
  lostOnce('chunk-503', 'a chunk that gets a 503', 'chunk', failure(503, 'Unavailable')),
  lostOnce('chunk-reset', 'a chunk whose connection breaks though it is stored', 'chunk', reset, true),
  lostOnce('plan-503', 'a plan that gets a 503', 'plan', failure(503, 'Unavailable')),
  lostOnce('complete-503', 'a completion that gets a 503', 'complete', failure(503, 'Unavailable')),
  lostOnce('complete-reset', 'a completion whose answer is lost', 'complete', reset),
  {
    id: 'chunks-known',
    title: 'Chunks that the cloud has, named in any order, are not sent.',
    holds: operations.plan,
    async run(trial) {
      knowing(trial, [3, 1])
      await uploadInChunks(trial)
      const sent = trial.of('chunk').map(indexOf)
      check(
        !sent.includes(1) && !sent.includes(3),
        `Chunks 1 and 3 are there already; sent were ${sent.join(', ')}.`,
      )
    },
  },
  {
    id: 'chunks-lost-by-cloud',
    title: 'When the completion says that chunks are missing, the missing ones are sent.',
    holds: operations.complete,
    async run(trial) {
      let lost = false
      trial.cloud.meddle = (request) => {
        if (request.operation !== 'complete' || lost) return undefined
        lost = true
        for (const { plan } of trial.cloud.work.uploads.values()) plan?.chunks.delete(1)
        return undefined
      }
      const { forms } = await uploadInChunks(trial)
      check(lost, 'The agent must complete the upload.')
      check(forms.length === 0, 'The missing chunks must be sent, not the whole file as a form.')
    },
  },
  {
    id: 'chunks-refused',
    title: 'Where the cloud refuses the plan, the file is sent as a form.',
    holds: decisions.chunks,
    async run(trial) {
      trial.cloud.meddle = (request) => (request.operation === 'plan' ? failure(404, 'Not found') : undefined)
      const upload = await uploadInChunks(trial)
      check(upload.forms.length === 1, 'The file must be sent as a form.')
    },
  },
  {
    id: 'chunk-damaged',
    title: 'A chunk that was damaged on its way, which the cloud refuses, does not lose the file.',
    holds: operations.chunk,
    async run(trial) {
      trial.cloud.meddle = onlyFirst('chunk', failure(400, 'Validation error'))
      await uploadInChunks(trial)
    },
  },
  {
    id: 'chunks-resumed',
    needsStart: true,
    title: 'An agent that is killed and started again sends only the chunks that are missing.',
    holds: decisions.chunks,
    async run(trial) {
      const { cloud, files } = trial
      cloud.chunkBytes = chunkBytes
      const upload = cloud.work.addUpload(join(files.root, large))
      cloud.meddle = (request) =>
        request.operation === 'chunk' && indexOf(request) >= 2 ? { ...reset, instead: 'hang' } : undefined
      await trial.until('two chunks', () => upload.plan !== undefined && upload.plan.chunks.size >= 2)
      await trial.until('a third chunk', () => trial.of('chunk').length > 2)
      const agent = await trial.kill()
      cloud.meddle = undefined
      agent.start()
      await trial.until('the whole file', () => upload.settled)
      check(upload.content?.equals(content) === true, 'The file must arrive byte by byte.')
      check(sentTimes(trial, 0) === 1, `The first chunk must be sent once, got ${sentTimes(trial, 0)} times.`)
    },
  },
]
