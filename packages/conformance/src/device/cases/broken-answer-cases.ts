import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import { failure, html, json, type Reply, reset } from '../cloud/reply.ts'
import { type DeviceOperation, jsonOf } from '../cloud/seen-request.ts'
import type { Meddle } from '../cloud/start-test-cloud.ts'
import { type DeviceCase, type DeviceTrial, reportsOf, rowsOf } from '../device-trial.ts'
import { contents } from '../prepared-files.ts'
import { uploadWhole } from './upload-cases.ts'

const cut: Reply = { ...json({ success: true, requests: [], status: 'completed' }), instead: 'cut' }
const nothing: Reply = { status: 204, body: Buffer.alloc(0) }

/** Answers the first request of an operation with `reply`, and every other one right. */
export function onlyFirst(operation: DeviceOperation, reply: Reply, isStored = false): Meddle {
  let count = 0
  return async (request, work) => {
    if (request.operation !== operation || ++count > 1) return undefined
    if (isStored) await work()
    return reply
  }
}

interface Broken {
  readonly id: string
  readonly what: string
  readonly reply: Reply
  readonly isStored?: boolean
}

const unacknowledged: readonly Broken[] = [
  { id: '408', what: 'a 408', reply: failure(408, 'Request timeout') },
  { id: '429', what: 'a 429', reply: failure(429, 'Rate limit exceeded') },
  { id: '500', what: 'a 500', reply: failure(500, 'Failed to process request') },
  { id: '502', what: 'a 502 with HTML', reply: html(502) },
  { id: 'html', what: 'a 200 with the page of a hotel network', reply: html(200) },
  { id: 'other-json', what: 'a 200 with another JSON body', reply: json({ ok: true }) },
  { id: 'no-content', what: 'a 204', reply: nothing },
  { id: 'cut', what: 'an answer that is cut off', reply: cut },
  { id: 'reset', what: 'a reset connection, though the cloud has stored it', reply: reset, isStored: true },
]

const reportAgain = ({ id, what, reply, isStored }: Broken): DeviceCase => ({
  id: `report-${id}`,
  title: `A report that gets ${what} is sent again, unchanged.`,
  holds: decisions.delivery,
  async run(trial) {
    trial.cloud.meddle = onlyFirst('report', reply, isStored)
    const search = trial.cloud.work.addSearch('alpha')
    await trial.until(`the report again, after ${what}`, () => reportsOf(trial, search.id)[1])
    const [first, second] = reportsOf(trial, search.id).map(jsonOf)
    check(isDeepStrictEqual(first, second), 'A report that is sent again must be the same as before.')
  },
})

/** The answer is final: the search is over for the cloud, too. */
const reportRefused = (status: number, error: string): DeviceCase => ({
  id: `report-refused-${status}`,
  title: `A report that gets a ${status} is given up, and the next search is answered.`,
  holds: decisions.delivery,
  async run(trial) {
    const { cloud } = trial
    const search = cloud.work.addSearch('alpha')
    cloud.meddle = async (request, work) => {
      if (request.operation !== 'report' || !request.body.includes(search.id)) return undefined
      await work()
      return failure(status, error)
    }
    await trial.until('a report', () => search.reports[0])
    await trial.search('beta')
    await trial.rest(Math.max(2 * trial.intervalMs, 800))
    const sent = reportsOf(trial, search.id).length
    check(sent === 1, `A ${status} is final: the report must not be sent again, got ${sent} reports.`)
  },
})

const uploadAgain = ({ id, what, reply, isStored }: Broken): DeviceCase => ({
  id: `upload-${id}`,
  title: `A file that gets ${what} is sent again, byte by byte.`,
  holds: decisions.delivery,
  async run(trial) {
    trial.cloud.meddle = isStored ? keepListed(trial, reply) : onlyFirst('upload', reply)
    const upload = trial.cloud.work.addUpload(join(trial.files.root, 'sub/Beta Report.txt'))
    await trial.until('the file again', () => trial.of('upload').length > 1)
    await trial.until('an answer to the file', () => upload.settled)
    check(
      upload.content?.equals(contents['sub/Beta Report.txt']!) === true,
      'The file must arrive byte by byte.',
    )
  },
})

/** The cloud has the file, its answer was lost, and its list still holds the request. */
function keepListed(trial: DeviceTrial, reply: Reply): Meddle {
  const first = onlyFirst('upload', reply, true)
  return async (request, work) => {
    const answer = await first(request, work)
    if (answer) for (const upload of trial.cloud.work.uploads.values()) upload.settled = false
    return answer
  }
}

const listAgain = ({ id, what, reply }: Broken): DeviceCase => ({
  id: `list-${id}`,
  title: `A list that gets ${what} is asked for again, and its searches are answered.`,
  holds: operations.searches,
  async run(trial) {
    trial.cloud.meddle = onlyFirst('searches', reply)
    const report = await trial.search('alpha')
    check(rowsOf(report).length > 0, 'The search must be reported with what it found.')
  },
})

const among = (...ids: string[]) => unacknowledged.filter(({ id }) => ids.includes(id))

/** Answers that are wrong once. */
export const brokenAnswerCases: readonly DeviceCase[] = [
  ...unacknowledged.map(reportAgain),
  reportRefused(400, 'Validation error'),
  reportRefused(404, 'Search query not found'),
  reportRefused(413, 'Payload too large'),
  ...among('500', 'html', 'other-json', 'reset').map(uploadAgain),
  {
    id: 'upload-canceled',
    title: 'A file whose request was canceled meanwhile is given up, and the next one is sent.',
    holds: decisions.canceled,
    async run(trial) {
      const { cloud, files } = trial
      cloud.meddle = onlyFirst('upload', json({ success: false, error: 'canceled' }), true)
      const upload = await trial.upload(`${files.root}/sub/Beta Report.txt`)
      await uploadWhole(trial, 'alpha-notes.txt')
      await trial.rest(2 * trial.intervalMs)
      check(
        upload.forms.length === 1,
        `A canceled file must not be sent again, got ${upload.forms.length} forms.`,
      )
    },
  },
  ...among('html', 'other-json', 'cut', 'reset').map(listAgain),
  {
    id: 'heartbeat-html',
    title: 'A heartbeat that gets the page of a hotel network is repeated, and work goes on.',
    holds: operations.heartbeat,
    async run(trial) {
      trial.cloud.meddle = onlyFirst('heartbeat', html(200))
      await trial.until('another heartbeat', () => trial.of('heartbeat').length > 1)
      await trial.search('alpha')
    },
  },
  {
    id: 'answers-in-pieces',
    title: 'Answers that come in small pieces, without a length, are read to their end.',
    holds: operations.searches,
    async run(trial) {
      trial.cloud.meddle = async (_, work) => ({ ...(await work()), pieces: 40, pauseMs: 5 })
      const report = await trial.search('alpha')
      check(rowsOf(report).length > 0, 'The search must be reported with what it found.')
      await uploadWhole(trial, 'alpha-notes.txt')
    },
  },
]
