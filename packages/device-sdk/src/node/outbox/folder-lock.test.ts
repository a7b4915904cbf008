import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'

const moduleUrl = new URL('create-file-outbox.ts', import.meta.url).href

/** A process that opens the outbox of each folder it is told, answers, and closes it when told to. */
function startRival() {
  const program = `
    const { createFileOutbox } = await import(${JSON.stringify(moduleUrl)})
    const { createInterface } = await import('node:readline')
    let outbox
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'close') {
        await outbox.close()
        console.log('closed')
        continue
      }
      outbox = createFileOutbox({ folder: line })
      console.log(await outbox.list().then(() => 'won', (error) => error.code))
    }`
  const args = ['--conditions=@homeward/source', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    child.stdin.end()
    await once(child, 'close')
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`)
    const answer = await answers.next()
    return answer.done ? 'ended' : answer.value
  }
}

it.each([
  ['the lock of a dead process', false],
  ['the lock of a dead process that died while it took another one over', true],
])('lets one of two processes have a folder with %s', { timeout: 60_000 }, async (_, hasGuard) => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
  const rivals = [startRival(), startRival()]
  let wins = 0
  for (let round = 0; round < 60; round += 1) {
    const folder = path.join(base, String(round))
    await mkdir(folder)
    const lockFile = path.join(folder, 'outbox.lock')
    await writeFile(lockFile, JSON.stringify({ pid: dead, startedAt: 'then', token: 't' }))
    if (hasGuard) {
      await writeFile(`${lockFile}.t`, '')
      await utimes(`${lockFile}.t`, 0, 0)
    }
    const answers = await Promise.all(rivals.map((tell) => tell(folder)))
    expect(answers.filter((answer) => answer === 'won').length).toBeLessThanOrEqual(1)
    expect(answers.every((answer) => answer === 'won' || answer === 'STATE_UNAVAILABLE')).toBe(true)
    wins += Number(answers.includes('won'))
    await Promise.all(rivals.map((tell) => tell('close')))
    // Whoever lost could have it now, and nothing of the race is left behind.
    expect(await rivals[0]?.(folder)).toBe('won')
    expect(await readdir(folder)).toEqual(['outbox.lock'])
    await rivals[0]?.('close')
    expect(await readdir(folder)).toEqual([])
  }
  expect(wins).toBe(60)
})
