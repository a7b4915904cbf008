import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { AuditEntry } from '../../ports/audit-log.ts'
import { createFileAuditLog } from './create-file-audit-log.ts'

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const entry = (id: string): AuditEntry => ({
  at: '2026-01-01T00:00:00.000Z',
  action: 'upload',
  outcome: 'denied',
  id,
  subject: '/etc/passwd',
  reason: 'policy_denied: outside',
})
const idsIn = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as AuditEntry).id)

it('The device has the last word: writes down each refusal, in order, for the owner alone', async () => {
  const folder = await tempFolder()
  await using log = createFileAuditLog({ folder })
  await Promise.all(['a', 'b', 'c'].map((id) => log.append(entry(id))))
  const file = path.join(folder, 'audit.jsonl')
  expect(await idsIn(file)).toEqual(['a', 'b', 'c'])
  expect(JSON.parse((await readFile(file, 'utf8')).split('\n')[0] ?? '')).toEqual(entry('a'))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('writes no unknown field and keeps a line short, whatever stands in it', async () => {
  const folder = await tempFolder()
  await using log = createFileAuditLog({ folder })
  const careless = { ...entry('a'), apiKey: 'hw_secret', subject: `x\n${'y'.repeat(100_000)}` }
  await log.append(careless)
  const text = await readFile(path.join(folder, 'audit.jsonl'), 'utf8')
  expect(text).not.toContain('hw_secret')
  expect(text.length).toBeLessThan(5000)
  expect(text.split('\n')).toHaveLength(2)
})

it('begins a new file at its size and keeps one predecessor', async () => {
  const folder = await tempFolder()
  const lineBytes = JSON.stringify(entry('a')).length + 1
  await using log = createFileAuditLog({ folder, maxBytes: lineBytes * 2 })
  for (const id of ['a', 'b', 'c', 'd', 'e']) await log.append(entry(id))
  expect(await idsIn(path.join(folder, 'audit.1.jsonl'))).toEqual(['c', 'd'])
  expect(await idsIn(path.join(folder, 'audit.jsonl'))).toEqual(['e'])
})

it.each(['{"at":"2026', 'x'.repeat(200_000)])('cuts off a torn last line when it opens', async (torn) => {
  const folder = await tempFolder()
  const first = createFileAuditLog({ folder })
  await first.append(entry('a'))
  await first.close()
  await appendFile(path.join(folder, 'audit.jsonl'), torn)
  await using log = createFileAuditLog({ folder })
  await log.append(entry('b'))
  expect(await idsIn(path.join(folder, 'audit.jsonl'))).toEqual(['a', 'b'])
})

it('says what is wrong when the folder is a file or belongs to another agent', async () => {
  const folder = await tempFolder()
  await writeFile(path.join(folder, 'file'), '')
  const impossible = createFileAuditLog({ folder: path.join(folder, 'file/inside') })
  await expect(impossible.append(entry('a'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await using first = createFileAuditLog({ folder })
  await first.append(entry('a'))
  await expect(createFileAuditLog({ folder }).append(entry('b'))).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
  })
})

it('The device has the last word: every line is whole after kill -9', { timeout: 60_000 }, async () => {
  const folder = await tempFolder()
  const program = `
    const { createFileAuditLog } = await import(${JSON.stringify(new URL('create-file-audit-log.ts', import.meta.url).href)})
    const log = createFileAuditLog({ folder: ${JSON.stringify(folder)}, maxBytes: 100_000 })
    for (let count = 0; ; count += 1) {
      const id = process.argv[1] + '-' + count
      await log.append({ at: new Date().toISOString(), action: 'upload', outcome: 'allowed', id, subject: 'x'.repeat(3000) })
      process.stdout.write(id + '\\n')
    }`
  for (let round = 0; round < 5; round += 1) {
    const args = ['--conditions=@homeward/source', '--input-type=module', '-e', program, String(round)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    // Killed somewhere in a write, or while a new file is begun, after a number of lines that differs each time.
    const killAfter = 5 + Math.floor(Math.random() * 60)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.split('\n').length > killAfter) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const written = output.split('\n').slice(0, -1)

    await using log = createFileAuditLog({ folder, maxBytes: 100_000 })
    await log.append(entry('after'))
    await log.close()
    const kept: string[] = []
    for (const name of ['audit.1.jsonl', 'audit.jsonl'])
      if ((await readdir(folder)).includes(name)) kept.push(...(await idsIn(path.join(folder, name))))
    // The newest files hold 33 lines each: what was acknowledged last is there, in order, then the line of this process.
    const ofRound = kept.filter((id) => id.startsWith(`${round}-`))
    expect(kept.at(-1)).toBe('after')
    expect(ofRound.length).toBeGreaterThanOrEqual(Math.min(written.length, 30))
    expect(ofRound.join()).toContain(written.slice(-Math.min(ofRound.length, 30)).join())
  }
})
