import { check } from '../../conformance-case.ts'
import { decisions, rules } from '../../references.ts'
import { failure, html, json, type Reply } from '../cloud/reply.ts'
import { jsonOf } from '../cloud/seen-request.ts'
import { type DeviceCase, type DeviceTrial, reportsOf } from '../device-trial.ts'

/** The report comes again, and not before the pause is over. */
function waitsFor(id: string, what: string, reply: () => Reply, leastMs: number): DeviceCase {
  return {
    id,
    title: `After ${what} a report waits for as long as the cloud asks.`,
    holds: decisions.rates,
    async run(trial) {
      trial.cloud.meddle = (request) =>
        request.operation === 'report' && trial.of('report').length === 1 ? reply() : undefined
      const search = trial.cloud.work.addSearch('alpha')
      await trial.until('the report again', () => reportsOf(trial, search.id)[1])
      const [first, second] = reportsOf(trial, search.id)
      const gapMs = (second?.atMs ?? 0) - (first?.atMs ?? 0)
      check(gapMs >= leastMs, `The report must wait ${leastMs} ms at least, got ${Math.round(gapMs)} ms.`)
    },
  }
}

/** Times between the requests of the operation that was tried most. */
function gapsOfBusiest(trial: DeviceTrial, sinceMs: number): number[] {
  const operations = ['heartbeat', 'searches', 'uploads'] as const
  const times = operations.map((name) =>
    trial
      .of(name)
      .map(({ atMs }) => atMs)
      .filter((atMs) => atMs > sinceMs),
  )
  const busiest = times.toSorted((a, b) => b.length - a.length)[0] ?? []
  return busiest.slice(1).map((atMs, at) => atMs - (busiest[at] ?? 0))
}

function outage(id: string, what: string, reply: Reply): DeviceCase {
  return {
    id,
    title: `While every request gets ${what}, the agent tries less and less often, and works again afterwards.`,
    holds: rules,
    async run(trial) {
      const { cloud, intervalMs } = trial
      await trial.online()
      const sinceMs = performance.now()
      cloud.meddle = () => reply
      cloud.holds = false
      await trial.rest(Math.max(9 * intervalMs, 2700))
      const gaps = gapsOfBusiest(trial, sinceMs)
      const steady = (performance.now() - sinceMs) / intervalMs
      const most = Math.ceil(steady) + 3
      check(gaps.length < most, `The agent may try ${most} times in this outage, got ${gaps.length + 1}.`)
      const isQuick = gaps.length > 2 && Math.min(...gaps) < intervalMs * 0.8
      const last = gaps.at(-1) ?? 0
      check(
        !isQuick || last > 1.5 * (gaps[0] ?? 0),
        `Pauses must grow while the cloud fails, got ${gaps.map(Math.round).join(', ')} ms.`,
      )
      cloud.meddle = undefined
      await trial.search('alpha')
    },
  }
}

/** Most requests in any second. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
}

const clock = (id: string, what: string, offsetMs: number): DeviceCase => ({
  id,
  title: `An agent works when the clock of the cloud is ${what}.`,
  holds: rules,
  async run(trial) {
    trial.cloud.clockOffsetMs = offsetMs
    await trial.search('alpha')
    await trial.upload(`${trial.files.root}/alpha-notes.txt`)
  },
})

const day = 86_400_000

/** Clouds that fail for a while, and agents that end. */
export const outageCases: readonly DeviceCase[] = [
  waitsFor(
    'retry-after-seconds',
    'a 429 with Retry-After in seconds',
    () => failure(429, 'Rate limit exceeded', { 'retry-after': '3' }),
    2950,
  ),
  waitsFor(
    'retry-after-date',
    'a 503 with Retry-After as a date',
    () => failure(503, 'Unavailable', { 'retry-after': new Date(Date.now() + 4000).toUTCString() }),
    2500,
  ),
  outage('outage-500', 'a 500', failure(500, 'Failed to process request')),
  outage('outage-503', 'a 503 without a body', { status: 503, body: Buffer.alloc(0) }),
  outage('outage-html', 'the page of a hotel network', html(200)),
  {
    id: 'cloud-away',
    title: 'An agent whose cloud is away for a while stays alive, and works again afterwards.',
    holds: rules,
    async run(trial) {
      const { cloud, intervalMs } = trial
      await trial.online()
      await cloud.goAway()
      await trial.rest(Math.max(4 * intervalMs, 1000))
      await cloud.comeBack()
      await trial.search('alpha')
    },
  },
  {
    id: 'report-rate',
    title: 'An agent with many reports sends at most 10 in a second.',
    holds: decisions.rates,
    async run(trial) {
      await trial.online()
      const searches = Array.from({ length: 30 }, (_, at) => trial.cloud.work.addSearch(`alpha ${at}`))
      trial.cloud.meddle = (request) => {
        if (request.operation !== 'searches') return undefined
        const waiting = searches.filter(({ settled }) => !settled)
        return json({
          requests: waiting.map(({ id, query, scope, createdAt }) => ({ id, query, scope, createdAt })),
        })
      }
      await trial.until('30 reports', () => searches.every(({ settled }) => settled))
      const most = mostInASecond(trial.of('report').map(({ atMs }) => atMs))
      check(most <= 12, `At most 10 reports may be sent in a second, got ${most}.`)
    },
  },
  {
    id: 'upload-rate',
    title: 'An agent that is asked for many files sends at most 5 in a second.',
    holds: decisions.rates,
    async run(trial) {
      await trial.online()
      const { cloud, files } = trial
      const uploads = Array.from({ length: 12 }, () => cloud.work.addUpload(`${files.root}/alpha-notes.txt`))
      await trial.until('12 files', () => uploads.every(({ settled }) => settled))
      const most = mostInASecond(trial.of('upload').map(({ atMs }) => atMs))
      check(most <= 6, `At most 5 files may be sent in a second, got ${most}.`)
    },
  },
  {
    id: 'restart',
    needsStart: true,
    title:
      'A search whose report was never acknowledged is reported after the agent was killed and started again.',
    holds: decisions.delivery,
    async run(trial) {
      const { cloud } = trial
      const search = cloud.work.addSearch('alpha')
      cloud.meddle = (request) =>
        request.operation === 'report' ? { status: 200, body: Buffer.alloc(0), instead: 'hang' } : undefined
      const lost = await trial.until('a report', () => reportsOf(trial, search.id)[0])
      const agent = await trial.kill()
      cloud.meddle = undefined
      agent.start()
      const report = await trial.until('the report after the restart', () => search.reports[0])
      check(jsonOf(lost) !== undefined && report['queryId'] === search.id, 'The report must name the search.')
    },
  },
  clock('clock-ahead', 'a day ahead', day),
  clock('clock-behind', 'a day behind', -day),
]
