import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runProcess } from './run-process.ts'
import type { ProcessRequest } from './run-process.ts'

let cwd: string
const environment = { PATH: process.env['PATH'] ?? '' }

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'homeward-process-')))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const run = (script: string, more: Partial<ProcessRequest> = {}) =>
  runProcess({
    command: ['sh', '-c', script],
    cwd,
    ownFolder: cwd,
    environment,
    timeoutMs: 20_000,
    maxOutputBytes: 1000,
    graceMs: 300,
    ...more,
  })

/** Processes that still run with this word among their arguments. */
function leftovers(word: string): string[] {
  const table = execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' })
  return table
    .split('\n')
    .filter((line) => line.includes(word) && !/^\s*\d+ Z/.test(line) && !line.includes('ps -eo'))
}

/** A word that no other process on this machine has among its arguments: a number for `sleep`. */
const marker = (digit: number) => `9${process.pid}${digit}.5`

it('gives exit code and both streams, and hands on nothing but the given environment', async () => {
  const outcome = await run('echo out; echo err >&2; env; exit 3', {
    environment: { ...environment, ONLY: 'this' },
  })
  expect(outcome.exitCode).toBe(3)
  expect(outcome.stderr.text(100).text).toBe('err\n')
  expect(outcome.stdout.text(1000).text).toContain('ONLY=this')
  expect(outcome.stdout.text(1000).text).not.toContain('HOME=')
})

it('gives its input to the program, and stands one that does not read it', async () => {
  expect((await run('cat', { input: 'hello' })).stdout.text(100).text).toBe('hello')
  expect((await run('exit 0', { input: 'x'.repeat(10_000_000) })).exitCode).toBe(0)
})

it('A16: a flood of output fills no memory', async () => {
  const before = process.memoryUsage().rss
  const outcome = await run('head -c 200000000 /dev/zero; head -c 50000000 /dev/zero >&2')
  expect(outcome.exitCode).toBe(0)
  expect([outcome.stdout.bytes, outcome.stdout.truncated]).toEqual([1000, true])
  expect([outcome.stderr.bytes, outcome.stderr.truncated]).toEqual([1000, true])
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

it('A16: an endless flood ends with its time', async () => {
  const outcome = await run('yes', { timeoutMs: 300 })
  expect(outcome).toMatchObject({ timedOut: true, exitCode: null })
  expect(outcome.stdout.text(4).text).toBe('y\ny\n')
})

it('A16: what ignores SIGTERM is killed; what heeds it may clean up', async () => {
  const deaf = await run(`trap '' TERM; echo started; while :; do sleep ${marker(1)}; done`, {
    timeoutMs: 200,
  })
  expect(deaf.timedOut).toBe(true)
  expect(leftovers(marker(1))).toEqual([])
  await run(`trap 'echo cleaned > note; exit 0' TERM; sleep ${marker(2)} & wait`, {
    timeoutMs: 200,
    graceMs: 5000,
  })
  expect(await readFile(join(cwd, 'note'), 'utf8')).toBe('cleaned\n')
  expect(leftovers(marker(2))).toEqual([])
})

it('A16: leaves nothing running: background, own session, orphan, deaf to SIGTERM', async () => {
  const word = marker(3)
  const script = `
    sleep ${word} &
    setsid sleep ${word} &
    (setsid sh -c 'trap "" TERM; sleep ${word}; sleep ${word}' </dev/null >/dev/null 2>&1 &)
    sh -c 'setsid sh -c "sleep ${word} & sleep ${word}" & exit 0'
    sleep 0.5
    echo done`
  const outcome = await run(script)
  expect(outcome.stdout.text(100).text).toBe('done\n')
  expect(leftovers(word)).toEqual([])
})

it('A16: finds what a program left behind that was gone at once', async () => {
  const word = marker(5)
  await run(`(setsid sleep ${word} </dev/null >/dev/null 2>&1 &)`)
  expect(leftovers(word)).toEqual([])
})

it('A16: a cancelled call ends the program and all that it forked, then rejects with the reason', async () => {
  const word = marker(4)
  const cancel = new AbortController()
  const forks = `i=0; while [ $i -lt 20 ]; do (setsid sleep ${word} &); i=$((i+1)); done; touch forked; sleep ${word}`
  const running = run(forks, { signal: cancel.signal })
  running.catch(() => undefined)
  while (!existsSync(join(cwd, 'forked'))) await new Promise((resolve) => void setImmediate(resolve))
  expect(leftovers(word).length).toBeGreaterThan(10)
  const reason = new Error('cancelled')
  cancel.abort(reason)
  await expect(running).rejects.toBe(reason)
  expect(leftovers(word)).toEqual([])
})

it('starts nothing when the program or its folder is missing, or the call was given up before', async () => {
  await expect(run('', { command: ['no-such-program-anywhere'] })).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(run('', { command: ['sleep', '1'], cwd: join(cwd, 'missing') })).rejects.toMatchObject({
    code: 'ENOENT',
  })
  await expect(run('true', { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late')
})
