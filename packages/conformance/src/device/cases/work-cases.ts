import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { failure, reset } from '../cloud/reply.ts'
import { objectOf } from '../cloud/seen-request.ts'
import type { DeviceCase, DeviceTrial } from '../device-trial.ts'
import { contents } from '../prepared-files.ts'
import { uploadWhole } from './upload-cases.ts'

const small = Object.keys(contents)[0]!

/** A case whose cloud has the request for all work from the start: an agent asks an older cloud again after an hour. */
const workCase = (id: string, title: string, run: (trial: DeviceTrial) => Promise<void>): DeviceCase => ({
  id,
  title,
  holds: operations.work,
  offersWork: true,
  needsStart: true,
  run,
})

const untilAsked = (trial: DeviceTrial, count = 1) =>
  trial.until('a request for all work', () => trial.of('work').length >= count)

/** What agents do that ask for searches and upload requests with one request. */
export const workCases: readonly DeviceCase[] = [
  workCase('work-search', 'A search from the request for all work is reported.', async (trial) => {
    await untilAsked(trial)
    const [first] = trial.of('work')
    check(
      typeof objectOf(first!)['metadata'] === 'object',
      'The body must have "metadata", as a heartbeat has.',
    )
    await trial.search('sample')
    const lists = trial.of('searches').length + trial.of('uploads').length
    check(lists === 0, `A cloud with this request must not be asked for lists, got ${lists} requests.`)
  }),
  workCase('work-upload', 'A file from the request for all work is uploaded.', async (trial) => {
    await untilAsked(trial)
    await uploadWhole(trial, small)
  }),
  workCase('work-wait', 'While nothing waits, the request is held and not repeated.', async (trial) => {
    await untilAsked(trial)
    const [first] = trial.of('work')
    check(/wait=\d+/.test(String(first?.headers['prefer'])), 'The request must have "Prefer: wait=N".')
    await trial.rest(4 * trial.intervalMs)
    const open = trial.of('work').filter(({ answer }) => answer === 'open').length
    check(open <= 1, `One request at a time must be held, got ${open}.`)
    const count = trial.of('work').length
    check(count <= 3, `A held request must not be repeated, got ${count} within four intervals.`)
  }),
  workCase('work-once', 'Work that is not reported yet is not done twice.', async (trial) => {
    let refused = 0
    trial.cloud.meddle = ({ operation }) =>
      operation === 'report' && ++refused <= 2 ? failure(503, 'Service unavailable') : undefined
    await untilAsked(trial)
    const search = trial.cloud.work.addSearch('sample')
    await trial.until('the report of the search', () => search.settled)
    await trial.rest(2 * trial.intervalMs)
    const count = search.reports.length
    check(count === 1, `The search must be reported once, got ${count} reports.`)
  }),
  workCase(
    'work-lost',
    'After a lost answer the agent asks again, and gets the same work.',
    async (trial) => {
      let lost = 0
      trial.cloud.meddle = async ({ operation }) => {
        if (operation !== 'work' || lost > 0 || trial.cloud.work.searches.size === 0) return undefined
        lost += 1
        return reset
      }
      await untilAsked(trial)
      await trial.search('sample')
    },
  ),
]
