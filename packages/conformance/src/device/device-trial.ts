import { setTimeout as sleep } from 'node:timers/promises'
import { CaseFailure, check, type GradedCase } from '../conformance-case.ts'
import type { PreparedFiles } from './prepared-files.ts'
import type { TestCloud } from './cloud/start-test-cloud.ts'
import type { TestUpload } from './cloud/pending-work.ts'
import { objectOf, type DeviceOperation, type SeenRequest } from './cloud/seen-request.ts'

/** One agent, its cloud and its files, for one case. */
export interface DeviceTrial {
  readonly cloud: TestCloud
  readonly files: PreparedFiles
  /** Milliseconds between heartbeats of this agent, and between its polls. */
  readonly intervalMs: number
  /** How long a case waits for what must happen. */
  readonly patienceMs: number
  /** Everything that the agent wrote; empty when it was started by hand. */
  output(): string
  /** Requests of one operation so far. */
  of(operation: DeviceOperation): readonly SeenRequest[]
  /** Waits until `find` gives something. Fails the case when it takes too long, or the agent ends. `what` completes "waited for". */
  until<T>(what: string, find: () => T | undefined | false): Promise<T>
  /** Lets time go by. */
  rest(ms: number): Promise<void>
  /** Waits until the agent has sent a heartbeat and asked for work. */
  online(): Promise<void>
  /** Gives the agent a search, and gives the first report. */
  search(
    query: string,
    scope?: readonly string[],
    selection?: object,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Asks the agent for a file, and gives the outcome. */
  upload(filePath: string): Promise<TestUpload>
  /** Ends the agent at once, and starts it again when `start` is called. For cases with `needsStart`. */
  kill(): Promise<{ start(): void }>
}

/** A promise of device agents. */
export interface DeviceCase extends GradedCase<DeviceTrial> {
  /** Whether the agent is quiet for minutes afterwards: with an agent that was started by hand, the case comes last. */
  readonly silences?: true
  /** Whether the case ends the agent or reads what it writes, so that the runner must have started it. */
  readonly needsStart?: true
  /** Whether the cloud has the request for all work when the agent starts. */
  readonly offersWork?: true
  /** Writes more files before the agent starts. */
  readonly prepare?: (files: PreparedFiles) => Promise<void>
}

/** What a trial needs to know of its agent. */
interface TrialSetup extends Pick<
  DeviceTrial,
  'cloud' | 'files' | 'intervalMs' | 'patienceMs' | 'output' | 'kill'
> {
  /** How the agent ended; undefined while it runs, or when nobody can know. */
  readonly ended: () => string | undefined
}

/** Builds what cases work with. */
export function createDeviceTrial(setup: TrialSetup): DeviceTrial {
  const { cloud, patienceMs } = setup
  const of = (operation: DeviceOperation) => cloud.requests.filter((each) => each.operation === operation)

  async function until<T>(what: string, find: () => T | undefined | false): Promise<T> {
    const startMs = performance.now()
    for (;;) {
      const found = find()
      if (found !== undefined && found !== false) return found
      const ended = setup.ended()
      if (ended !== undefined)
        throw new CaseFailure(`The agent ended (${ended}) while the runner waited for ${what}.`)
      const waitedMs = performance.now() - startMs
      check(
        waitedMs < patienceMs,
        `Waited ${(waitedMs / 1000).toFixed(1)} s for ${what}, and it did not come.`,
      )
      await nextChange(cloud, Math.min(100, patienceMs - waitedMs))
    }
  }

  return {
    ...setup,
    of,
    until,
    rest: (ms) => sleep(ms),
    async online() {
      await until('a heartbeat', () => of('heartbeat').find(({ answer }) => answer === '200'))
      await until('a poll of the pending searches', () => of('searches').length > 0)
    },
    async search(query, scope, selection) {
      const search = cloud.work.addSearch(query, scope, selection)
      return until(`the report of the search "${query}"`, () => search.reports[0])
    },
    async upload(filePath) {
      const upload = cloud.work.addUpload(filePath)
      return until(`the upload of ${filePath}`, () => upload.settled && upload)
    },
  }
}

/** Resolves with the next request or answer, or after `ms`. */
async function nextChange(cloud: TestCloud, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const forget = cloud.onChange(resolve)
  const timer = setTimeout(resolve, ms)
  await promise
  clearTimeout(timer)
  forget()
}

/** Reports about one search, as they came on the wire: answered, refused or broken off. */
export const reportsOf = (trial: DeviceTrial, queryId: string): readonly SeenRequest[] =>
  trial.of('report').filter((request) => objectOf(request)['queryId'] === queryId)

/** Rows that a report has for a scope; empty when there are none. */
export function rowsOf(
  report: Readonly<Record<string, unknown>>,
  scope = 'files',
): readonly Record<string, unknown>[] {
  const results = report['results'] as Readonly<Record<string, unknown>> | null | undefined
  const rows = results?.[scope]
  return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
}
