import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaseFailure, CaseSkip, type CaseResult, type Level } from '../conformance-case.ts'
import { type LeveledCase, selectCases } from '../select-cases.ts'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { describeRequest } from './cloud/seen-request.ts'
import { startTestCloud, type TestCloud } from './cloud/start-test-cloud.ts'
import { createDeviceTrial, type DeviceCase, type DeviceTrial } from './device-trial.ts'
import { prepareFiles, type PreparedFiles, removeFiles } from './prepared-files.ts'

/** How an agent is judged. */
interface DeviceRun {
  readonly cases: Readonly<Record<Level, readonly DeviceCase[]>>
  readonly level: readonly Level[]
  /** Ids of the cases to run; empty for all of the levels. */
  readonly only: readonly string[]
  /** What starts the agent; empty when its author starts it by hand. */
  readonly command: readonly string[]
  readonly host: string
  readonly port: number
  readonly intervalMs: number
  readonly patienceMs: number
  /** Agents that run at the same time. */
  readonly jobs: number
  /** Takes lines for the author, such as the address of the cloud. */
  readonly tell: (line: string) => void
  readonly onResult?: (result: CaseResult) => void
}

type Leveled = LeveledCase<DeviceCase>

/** A new key, of the documented form. */
const createKey = () => `hw_${randomBytes(32).toString('base64url')}`

/** Judges an agent; gives the results in the order of the cases. */
export function runDeviceCases(run: DeviceRun): Promise<CaseResult[]> {
  return run.command.length > 0 ? runStarted(run) : runByHand(run)
}

/** Each case with an agent and a cloud of its own, several at a time. */
async function runStarted(run: DeviceRun): Promise<CaseResult[]> {
  const cases = selectCases(run)
  const results: CaseResult[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < cases.length; at = next++) {
      const result = await runAlone(run, cases[at]!)
      results[at] = result
      run.onResult?.(result)
    }
  }
  await Promise.all(Array.from({ length: run.jobs }, work))
  return results
}

async function runAlone(run: DeviceRun, leveled: Leveled): Promise<CaseResult> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-conformance-'))
  const cloud = await startTestCloud({ key: createKey(), host: run.host, port: run.port })
  let agent: AgentProcess | undefined
  try {
    const files = await prepareFiles(folder)
    await leveled.graded.prepare?.(files)
    cloud.offersWork = leveled.graded.offersWork === true
    const start = () => {
      agent = startAgent(run.command, environmentOf(run, cloud, files))
    }
    start()
    const trial = createDeviceTrial({
      intervalMs: run.intervalMs,
      patienceMs: run.patienceMs,
      cloud,
      files,
      output: () => agent?.output() ?? '',
      ended: () => agent?.ended(),
      async kill() {
        await agent?.kill()
        return { start }
      },
    })
    return await judge(leveled, trial)
  } finally {
    await agent?.kill()
    await cloud.close()
    await removeFiles(folder)
  }
}

/** What an agent finds in its environment. */
function environmentOf(run: DeviceRun, cloud: TestCloud, files: PreparedFiles): Record<string, string> {
  return {
    CLOUD_URL: cloud.url,
    DEVICE_API_KEY: cloud.key,
    DEVICE_ROOT: files.root,
    DEVICE_ROOTS: files.root,
    DEVICE_STATE: files.state,
    DEVICE_INTERVAL_MS: String(run.intervalMs),
  }
}

const startsAgent = 'The runner must start the agent itself: add "-- command".'

/** All cases one after another, with one agent that somebody starts. */
async function runByHand(run: DeviceRun): Promise<CaseResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-conformance-'))
  const cloud = await startTestCloud({ key: createKey(), host: run.host, port: run.port })
  try {
    const files = await prepareFiles(folder)
    const cases = selectCases(run).toSorted(bySilence)
    for (const { graded } of cases) await graded.prepare?.(files)
    for (const [name, value] of Object.entries(environmentOf(run, cloud, files))) run.tell(`${name}=${value}`)
    run.tell('Start your agent with these values. The cases begin with its first request.')
    await untilAsked(cloud)
    const trial = createDeviceTrial({
      intervalMs: run.intervalMs,
      patienceMs: run.patienceMs,
      cloud,
      files,
      output: () => '',
      ended: () => undefined,
      kill: () => Promise.reject(new CaseSkip(startsAgent)),
    })
    const results: CaseResult[] = []
    for (const leveled of cases) {
      cloud.reset()
      const result = await judge(byHand(leveled), trial)
      results.push(result)
      run.onResult?.(result)
    }
    return results
  } finally {
    await cloud.close()
    await removeFiles(folder)
  }
}

/** The case with an agent that somebody else started. */
function byHand(leveled: Leveled): Leveled {
  if (!leveled.graded.needsStart) return leveled
  return { ...leveled, graded: { ...leveled.graded, run: () => Promise.reject(new CaseSkip(startsAgent)) } }
}

const bySilence = (a: Leveled, b: Leveled) => Number(a.graded.silences ?? 0) - Number(b.graded.silences ?? 0)

async function untilAsked(cloud: TestCloud): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const forget = cloud.onChange(() => void (cloud.requests.length > 0 && resolve()))
  await promise
  forget()
}

const shownRequests = 30

async function judge({ level, graded }: Leveled, trial: DeviceTrial): Promise<CaseResult> {
  const { id, title, holds } = graded
  const startMs = performance.now()
  const about = (outcome: CaseResult['outcome']) => ({
    id,
    level,
    title,
    holds,
    outcome,
    tookMs: Math.round(performance.now() - startMs),
  })
  try {
    await graded.run(trial)
    return about('passed')
  } catch (error) {
    if (error instanceof CaseSkip) return { ...about('skipped'), reason: error.message }
    if (!(error instanceof CaseFailure)) throw error
    const { key, requests } = trial.cloud
    const seen = requests.slice(-shownRequests).map((request) => describeRequest(request, key, startMs))
    const wrote = trial.output().replaceAll(key, '<key>').trim().split('\n').slice(-5).join('\n')
    const output = wrote === '' ? [] : [`The agent wrote: ${wrote}`]
    return { ...about('failed'), reason: error.message.replaceAll(key, '<key>'), seen: [...seen, ...output] }
  }
}
