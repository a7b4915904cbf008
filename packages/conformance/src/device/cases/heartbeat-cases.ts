import { CaseSkip, check } from '../../conformance-case.ts'
import { decisions, operations, rules } from '../../references.ts'
import { objectOf, type SeenRequest } from '../cloud/seen-request.ts'
import { failure } from '../cloud/reply.ts'
import type { DeviceCase } from '../device-trial.ts'

const gapsOf = (requests: readonly SeenRequest[]) =>
  requests.slice(1).map((request, at) => request.atMs - (requests[at]?.atMs ?? 0))

/** Presence, pace and the key. */
export const heartbeatCases: readonly DeviceCase[] = [
  {
    id: 'heartbeat-at-start',
    title: 'An agent that starts sends a heartbeat, then asks for work.',
    holds: operations.heartbeat,
    async run(trial) {
      await trial.online()
    },
  },
  {
    id: 'heartbeat-form',
    title: 'A heartbeat is a JSON object whose metadata names os, version and hardware as strings.',
    holds: operations.heartbeat,
    async run(trial) {
      const beat = await trial.until('a heartbeat', () => trial.of('heartbeat')[0])
      const type = beat.headers['content-type'] ?? 'none'
      check(
        /^application\/json\b/i.test(type),
        `The Content-Type of the heartbeat must be application/json, got ${type}.`,
      )
      const metadata = objectOf(beat)['metadata'] as Readonly<Record<string, unknown>> | undefined
      for (const name of ['os', 'version', 'hardware']) {
        check(typeof metadata?.[name] === 'string', `"metadata.${name}" of the heartbeat must be a string.`)
      }
    },
  },
  {
    id: 'heartbeat-interval',
    title: 'Heartbeats come about once in each interval, no faster and no slower.',
    holds: decisions.pace,
    async run(trial) {
      const { intervalMs, cloud } = trial
      cloud.holds = false
      for (const count of [1, 2, 3, 4]) {
        await trial.until(`heartbeat ${count}`, () => trial.of('heartbeat').length >= count)
      }
      const gaps = gapsOf(trial.of('heartbeat').slice(0, 4))
      const least = Math.min(...gaps)
      check(
        least >= intervalMs / 2,
        `Heartbeats must be ${intervalMs} ms apart, got ${Math.round(least)} ms.`,
      )
    },
  },
  {
    id: 'poll-interval',
    title: 'An agent whose polls are answered at once waits an interval before it asks again.',
    holds: operations.searches,
    async run(trial) {
      const { intervalMs, cloud } = trial
      cloud.holds = false
      await trial.online()
      await trial.rest(4 * intervalMs)
      for (const operation of ['searches', 'uploads'] as const) {
        const polls = trial.of(operation).length
        check(
          polls <= 7,
          `In 4 intervals of ${intervalMs} ms the agent may poll ${operation} 7 times, got ${polls}.`,
        )
      }
    },
  },
  {
    id: 'polls-both-lists',
    title: 'An agent asks for searches and for files to upload.',
    holds: operations.uploads,
    async run(trial) {
      await trial.until('a poll of the pending searches', () => trial.of('searches').length > 0)
      await trial.until('a poll of the pending uploads', () => trial.of('uploads').length > 0)
    },
  },
  {
    id: 'key-in-header',
    title: 'Every request carries the key in Authorization, and nowhere else.',
    holds: rules,
    async run(trial) {
      const { cloud, files } = trial
      await trial.search('alpha')
      await trial.upload(`${files.root}/alpha-notes.txt`)
      for (const { method, url, headers, body } of cloud.requests) {
        const { authorization, ...others } = headers
        check(
          authorization === `Bearer ${cloud.key}`,
          `${method} ${url} must carry "Authorization: Bearer <key>".`,
        )
        const rest = `${url} ${JSON.stringify(others)} ${body.toString('latin1')}`
        check(
          !rest.includes(cloud.key),
          `${method} must hold the key in Authorization only; it is also elsewhere.`,
        )
      }
    },
  },
  {
    id: 'key-not-written',
    needsStart: true,
    title: 'An agent writes its key nowhere, also when the cloud fails.',
    holds: rules,
    async run(trial) {
      trial.cloud.meddle = (request) =>
        request.operation === 'report' ? failure(400, 'Validation error') : undefined
      const search = trial.cloud.work.addSearch('alpha')
      await trial.until('a report', () => trial.of('report').length > 0)
      await trial.rest(200)
      search.settled = true
      check(!trial.output().includes(trial.cloud.key), 'The output of the agent must not hold its key.')
    },
  },
  {
    id: 'refused-key',
    silences: true,
    title: 'An agent whose key is refused stops its work, and tries again only after a long pause.',
    holds: decisions.unauthorized,
    async run(trial) {
      const { cloud, intervalMs } = trial
      await trial.online()
      cloud.holds = false
      cloud.meddle = () => failure(401, 'Invalid or missing API key')
      const refused = await trial.until('a request after the key was refused', () =>
        cloud.requests.find(({ answer }) => answer === '401'),
      )
      await trial.rest(Math.max(6 * intervalMs, 1500)).catch(() => {})
      const after = cloud.requests.filter(({ atMs }) => atMs > refused.atMs).length
      // requests that were under way when the key was refused, and one probe
      check(after <= 3, `After a 401 the agent must be quiet for minutes; it sent ${after} more requests.`)
    },
  },
]

/** Skips where the system has no such files. */
export function needsPosix(): void {
  if (process.platform === 'win32') throw new CaseSkip('Windows has no such files.')
}
