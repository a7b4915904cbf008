import { chmod, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createAutoResetEvent, onAbort, platformTimers, type Timers } from '@homeward/kit'
import { createLimiter } from '../../agent/pace/limiter.ts'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { ConsentRequest } from '../../policy/device-policy.ts'
import { checkFolder } from '../check-folder.ts'
import { askProgram } from './ask-program.ts'
import {
  consentFolderOf,
  type Decision,
  decisionName,
  grantName,
  isGranted,
  keyOf,
  namesIn,
  questionName,
  readDecision,
  readQuestion,
  toWaitingRequest,
  type WaitingRequest,
  writeConsent,
} from './consent-files.ts'

/** Options of {@link createConsentFolder}. */
export interface ConsentFolderOptions {
  /** State folder of the agent. The files are in its folder `consent`, with mode 0700. */
  readonly folder: string
  /**
   * Milliseconds from the arrival of a request until it is denied without an answer, including restarts.
   *
   * @default 300000
   */
  readonly timeoutMs?: number
  /**
   * Program that can also decide: it receives the request as JSON on standard input, and exit code 0 means consent.
   *
   * @default no program
   */
  readonly program?: string | undefined
  /** Called with each waiting request. @default not called */
  readonly onAsk?: (request: WaitingRequest) => void
  /** Receives one line per problem. @default no log */
  readonly log?: (line: string) => void
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Timers, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}

const lookEveryMs = 500
/** Dialogs of a program at the same time. */
const maxPrograms = 4
/** Longer than the cloud holds any request (C10), so that a retry finds the decision. */
const keptMs = 8 * 24 * 60 * 60 * 1000
const maxFiles = 5000
const pruneEvery = 500

/**
 * Creates a consent function that asks the owner of a device through files in the agent's state folder.
 *
 * Another process lists and answers the requests with `createConsentDecisions`. Requests and decisions survive `kill
 * -9`. A consent is on disk before the request continues.
 *
 * @returns the `consent` function of a `DevicePolicy`, whose `consentTimeoutMs` must be at least `timeoutMs`
 * @throws {DeviceCloudError} `INVALID_OPTION` if `folder` is missing or `timeoutMs` is not a number above 0.
 * @example
 * const consent = createConsentFolder({ folder: '/var/lib/my-agent' })
 * const agent = createDeviceAgent({ baseUrl, apiKey, providers, policy: { consent } })
 */
export function createConsentFolder(
  options: ConsentFolderOptions,
): (request: ConsentRequest, signal: AbortSignal) => Promise<boolean> {
  checkFolder('Asking for consent', options)
  const { timeoutMs = 300_000, program, now = Date.now, timers = platformTimers, log = () => {} } = options
  checkNumbers('Asking for consent', { timeoutMs }, 1)
  const folder = consentFolderOf(options.folder)
  const { look, decide, begin } = createRecords(folder, timeoutMs, now)
  const programs = createLimiter(maxPrograms)
  const watch = createWatch(folder, timers)
  let isReady: Promise<void> | undefined
  let asked = 0

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await prune(folder, now())
  }

  async function askPrograms(key: string, request: WaitingRequest, signal: AbortSignal): Promise<void> {
    if (program === undefined || signal.aborted) return
    const allow = await askProgram(program, request, signal).catch((error: unknown) => {
      if (!signal.aborted) log((error as Error).message)
      return false
    })
    const decided = await readDecision(folder, key, request)
    if (decided === undefined && !signal.aborted) await decide(key, request, allow, 'program')
  }

  async function wait(
    key: string,
    request: WaitingRequest,
    untilMs: number,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const ended = new AbortController()
    const forget = onAbort(signal, () => ended.abort())
    const news = watch.add(key, request)
    void programs.run(() => askPrograms(key, request, ended.signal)).then(news.set, news.set)
    try {
      for (;;) {
        const allow = await look(key, request)
        const leftMs = untilMs - now()
        if (allow !== undefined || leftMs <= 0 || signal.aborted) return allow
        await news.wait(leftMs, signal)
      }
    } finally {
      watch.remove(key)
      forget()
      ended.abort() // which ends its program
    }
  }

  return async (question: ConsentRequest, signal: AbortSignal) => {
    asked += 1
    if (asked % pruneEvery === 0) isReady = undefined
    isReady ??= prepare().catch((error: unknown) => {
      isReady = undefined
      log(`Asking for consent failed: ${folder} cannot be used (${(error as NodeJS.ErrnoException).code}).`)
      throw error
    })
    await isReady
    const key = keyOf(question)
    const request = toWaitingRequest(question, new Date(now()).toISOString())
    let allow = await look(key, request)
    if (allow === undefined) {
      const untilMs = await begin(key, request)
      options.onAsk?.(request)
      allow = await wait(key, request, untilMs, signal)
      signal.throwIfAborted()
    }
    if (allow === undefined)
      throw new DeviceCloudError(
        'TIMEOUT',
        'Asking for consent failed: nobody decided in time. Request it again.',
      )
    await rm(join(folder, questionName(key)), { force: true })
    return allow
  }
}

/** What one folder says about requests. */
function createRecords(folder: string, timeoutMs: number, now: () => number) {
  /** What was decided: by anybody, or by what the owner allowed before. */
  async function look(key: string, request: WaitingRequest): Promise<boolean | undefined> {
    const decision = await readDecision(folder, key, request)
    if (decision) return decision.allow
    if (!(await isGranted(folder, request, now()))) return undefined
    await decide(key, request, true, 'grant')
    return true
  }

  async function decide(
    key: string,
    { id, kind, actor }: WaitingRequest,
    allow: boolean,
    by: Decision['by'],
  ): Promise<void> {
    const at = new Date(now()).toISOString()
    await writeConsent(folder, decisionName(key), { id, kind, actor, allow, at, by } satisfies Decision)
  }

  /** When silence becomes a no; counted from the first time that this was asked. */
  async function begin(key: string, request: WaitingRequest): Promise<number> {
    const nowMs = now()
    const before = await readQuestion(folder, key)
    // A clock that was set back must not make the wait longer.
    if (before) return Math.min(Date.parse(before.until), nowMs + timeoutMs)
    const until = new Date(nowMs + timeoutMs).toISOString()
    await writeConsent(folder, questionName(key), { ...request, until })
    return nowMs + timeoutMs
  }

  return { look, decide, begin }
}

/** Looks at the folder while something waits: one look for all. */
function createWatch(folder: string, timers: Timers) {
  const waiting = new Map<
    string,
    { readonly grant: string; readonly news: ReturnType<typeof createAutoResetEvent> }
  >()
  const tick = createAutoResetEvent(timers)
  let isWatching = false

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await tick.wait(lookEveryMs)
      const names = new Set(await namesIn(folder).catch(() => []))
      for (const [key, { grant, news }] of waiting)
        if (names.has(decisionName(key)) || names.has(grant)) news.set()
    }
    isWatching = false
  }

  return {
    add(key: string, request: WaitingRequest) {
      const news = createAutoResetEvent(timers)
      waiting.set(key, { grant: grantName(request), news })
      if (!isWatching) {
        isWatching = true
        void run()
      }
      return news
    },
    remove(key: string) {
      waiting.delete(key)
      if (waiting.size === 0) tick.set()
    },
  }
}

/** Removes what no request can need any more, and the oldest where there is very much. */
async function prune(folder: string, nowMs: number): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => !name.startsWith('grant-'))
  const files = await Promise.all(
    names.map(async (name) => ({
      name,
      ms: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  )
  const newest = files.toSorted((a, b) => b.ms - a.ms)
  for (const [index, { name, ms }] of newest.entries())
    if (index >= maxFiles || nowMs - ms > keptMs) await rm(join(folder, name), { force: true })
}
