import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ConsentRequest } from '../../policy/device-policy.ts'
import { createConsentDecisions } from './consent-decisions.ts'
import { createConsentFolder, type ConsentFolderOptions } from './create-consent-folder.ts'

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-consent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Timers that the test fires, and a clock that it sets. */
function createClock() {
  const timers = new Map<object, { readonly atMs: number; readonly run: () => void }>()
  const clock = {
    ms: Date.UTC(2026, 0, 1),
    now: () => clock.ms,
    timers: {
      setTimeout(run: () => void, ms: number) {
        const timer = {}
        timers.set(timer, { atMs: clock.ms + ms, run })
        return timer
      },
      clearTimeout: (timer: unknown) => void timers.delete(timer as object),
    },
    /** Fires what is due within `ms`. */
    pass(ms: number) {
      clock.ms += ms
      for (const [timer, { atMs, run }] of timers)
        if (atMs <= clock.ms) {
          timers.delete(timer)
          run()
        }
    },
    count: () => timers.size,
  }
  return clock
}

const createdAt = '2026-01-01T00:00:00.000Z'
const searchOf = (id: string, actor = 'bob', query = 'report'): ConsentRequest => ({
  action: 'search',
  request: { id, query, scope: ['files'], createdAt, actor },
})
const fileOf = (id: string, actor = 'bob'): ConsentRequest => ({
  action: 'upload',
  request: { id, filePath: '/a', destination: 'cloud', createdAt, actor },
})

async function createWorld(options: Partial<ConsentFolderOptions> = {}) {
  const folder = options.folder ?? (await tempFolder())
  const clock = createClock()
  const { now, timers } = clock
  const start = () => createConsentFolder({ folder, now, timers, timeoutMs: 60_000, ...options })
  const decisions = createConsentDecisions({ folder, now })
  const ids = async () => (await decisions.list()).map(({ id }) => id)
  const waiting = (...wanted: string[]) =>
    vi.waitFor(async () => expect((await ids()).toSorted()).toEqual(wanted), 5000)
  /** Lets the watch look, until `answer` is there. */
  async function until<T>(answer: Promise<T>): Promise<T> {
    let isThere = false
    void answer.catch(() => {}).finally(() => (isThere = true))
    await vi.waitFor(() => {
      clock.pass(500)
      expect(isThere).toBe(true)
    }, 5000)
    return answer
  }
  return { folder, clock, start, decisions, ids, waiting, until }
}
const forever = new AbortController().signal

it('waits until the owner decides in another process, for each request apart, and for the owner alone', async () => {
  const { folder, clock, start, decisions, waiting, until } = await createWorld()
  const consent = start()
  const [yes, no] = [consent(searchOf('s'), forever), consent(fileOf('f'), forever)]
  await waiting('f', 's')
  expect((await decisions.list()).find(({ id }) => id === 's')).toEqual({
    id: 's',
    kind: 'search',
    actor: 'bob',
    query: 'report',
    scope: ['files'],
    at: createdAt,
  })
  for (const name of await readdir(join(folder, 'consent')))
    expect((await stat(join(folder, 'consent', name))).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'consent'))).mode & 0o777).toBe(0o700)
  expect(await decisions.decide('other', true)).toBeUndefined()
  expect(await decisions.decide('s', true)).toMatchObject({ id: 's', kind: 'search' })
  expect(await until(yes)).toBe(true)
  await waiting('f')
  await decisions.decide('f', false)
  expect(await until(no)).toBe(false)
  await waiting()
  await vi.waitFor(() => expect(clock.count()).toBe(0))
})

it('remembers requests, decisions and their time over a restart', async () => {
  const { clock, start, decisions, ids, waiting, until } = await createWorld()
  const life = new AbortController()
  const first = start()
  const asked = Promise.allSettled([first(searchOf('s'), life.signal), first(searchOf('late'), life.signal)])
  await waiting('late', 's')
  life.abort(new Error('killed'))
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ids()).toHaveLength(2)
  await decisions.decide('s', true)
  clock.pass(50_000)
  const second = start()
  expect(await second(searchOf('s'), forever)).toBe(true)
  await expect(until(second(searchOf('late'), forever))).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(clock.ms - Date.parse(createdAt)).toBeLessThan(70_000)
  expect(await ids()).toEqual([])
  await expect(start()(searchOf('late'), forever)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

it('counts a yes only for the id, the actor, the kind and the text that it was given for', async () => {
  const { start, decisions, waiting, until } = await createWorld()
  const consent = start()
  const asked = consent(searchOf('s'), forever)
  await waiting('s')
  await decisions.decide('s', true)
  expect(await until(asked)).toBe(true)
  expect(await consent(searchOf('s'), forever)).toBe(true)
  const life = new AbortController()
  const others = [searchOf('s2'), searchOf('s', 'eve'), searchOf('s', 'bob', '*'), fileOf('s')]
  const open = Promise.allSettled(others.map((each) => consent(each, life.signal)))
  await waiting('s', 's', 's', 's2')
  life.abort(new Error('over'))
  expect((await open).map(({ status }) => status)).toEqual(others.map(() => 'rejected'))
})

it('allows an actor one kind of request for a time, for what waits too, and takes it back', async () => {
  const { clock, start, decisions, waiting, until } = await createWorld()
  const consent = start()
  const asked = [consent(searchOf('a'), forever), consent(searchOf('b'), forever)]
  await waiting('a', 'b')
  await decisions.decide('a', true, 3_600_000)
  expect(await Promise.all(asked.map(until))).toEqual([true, true])
  expect(await consent(searchOf('c', 'bob', 'other words'), forever)).toBe(true)
  const life = new AbortController()
  const open = Promise.allSettled([
    consent(fileOf('f'), life.signal),
    consent(searchOf('x', 'eve'), life.signal),
  ])
  await waiting('f', 'x')
  clock.pass(3_600_000)
  const timeout = { status: 'rejected', reason: expect.objectContaining({ code: 'TIMEOUT' }) as object }
  expect(await open).toEqual([timeout, timeout])
  const later = consent(searchOf('d'), life.signal)
  await waiting('d')
  await decisions.decide('d', true, Infinity)
  expect(await until(later)).toBe(true)
  clock.pass(10 ** 11)
  expect(await consent(searchOf('e'), forever)).toBe(true)
  expect(await decisions.revokeGrants()).toBe(1)
  const last = consent(searchOf('g'), life.signal)
  await waiting('g')
  life.abort(new Error('over'))
  await expect(last).rejects.toThrow('over')
})

it('survives damaged files, and decides nothing by them', async () => {
  const { folder, start, decisions, waiting, until } = await createWorld()
  const consent = start()
  const asked = consent(searchOf('s'), forever)
  await waiting('s')
  const [name] = await readdir(join(folder, 'consent'))
  const decision = join(folder, 'consent', name!.replace('request', 'decision'))
  for (const text of ['', '{"allow":true}', '{"id":"other","kind":"search","actor":"bob","allow":true}']) {
    await writeFile(decision, text)
    await until(Promise.resolve())
  }
  await rm(decision)
  await waiting('s')
  await decisions.decide('s', true)
  expect(await until(asked)).toBe(true)
})

it('forgets what is old, and keeps what the owner allowed', async () => {
  const folder = await tempFolder()
  const exchange = join(folder, 'consent')
  const decisions = createConsentDecisions({ folder })
  const asked = createConsentFolder({ folder })(searchOf('s'), forever)
  await vi.waitFor(async () => expect(await decisions.list()).toHaveLength(1), 5000)
  await decisions.decide('s', true, Infinity)
  expect(await asked).toBe(true)
  const before = await readdir(exchange)
  for (const name of before) await utimes(join(exchange, name), 1, 1)
  expect(await createConsentFolder({ folder })(searchOf('t'), forever)).toBe(true)
  const kept = (await readdir(exchange)).filter((name) => before.includes(name))
  expect(kept).toEqual([expect.stringMatching(/^grant-/)])
})

const programOf = async (folder: string, body: string) => {
  const program = join(folder, 'decide')
  await writeFile(program, `#!/bin/sh\n${body}\n`)
  await chmod(program, 0o700)
  return program
}

it('lets a program decide, which gets the request and none of the keys', async () => {
  const folder = await tempFolder()
  vi.stubEnv('DEVICE_API_KEY', 'hw_secret').stubEnv('ENROLLMENT_TOKEN', 'hwe_secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const out = join(folder, 'out')
  const program = await programOf(folder, `cat > '${out}'; env >> '${out}'; grep -q '"id":"yes"' '${out}'`)
  const consent = createConsentFolder({ folder, program })
  expect(await consent(searchOf('yes'), forever)).toBe(true)
  const seen = await readFile(out, 'utf8')
  expect(JSON.parse(seen.split('\n')[0]!)).toMatchObject({ id: 'yes', kind: 'search', actor: 'bob' })
  expect(seen).not.toContain('secret')
  expect(await consent(fileOf('no'), forever)).toBe(false)
  // decided once: a retry does not ask again
  await rm(program)
  expect(await consent(searchOf('yes'), forever)).toBe(true)
})

it('denies when the program cannot be started, and says why', async () => {
  const folder = await tempFolder()
  const lines: string[] = []
  const consent = createConsentFolder({
    folder,
    program: join(folder, 'missing; true'),
    log: (line) => lines.push(line),
  })
  expect(await consent(searchOf('s'), forever)).toBe(false)
  expect(lines).toEqual([expect.stringContaining('DEVICE_CONSENT_COMMAND')])
})

it('ends a program that is too slow with all that it started', async () => {
  const folder = await tempFolder()
  const pids = join(folder, 'pids')
  const program = await programOf(folder, `sleep 600 & echo $! $$ > '${pids}'; wait`)
  const { clock, start } = await createWorld({ folder, program })
  const asked = start()(searchOf('s'), forever)
  const read = () => readFile(pids, 'utf8')
  await vi.waitFor(async () => expect(await read()).toMatch(/\d+ \d+\n/), 5000)
  clock.pass(60_000)
  await expect(asked).rejects.toMatchObject({ code: 'TIMEOUT' })
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  for (const pid of (await read()).trim().split(' ').map(Number))
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5000)
})
