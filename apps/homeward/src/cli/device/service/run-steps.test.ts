import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runSteps, stagedPath } from './run-steps.ts'
import type { ServiceStep } from './service-step.ts'

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-steps-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
const runAll = (steps: readonly ServiceStep[]) => runSteps('Installing the service', steps, () => {})

it('writes, copies, runs and removes, with arguments that no shell reads', async () => {
  const folder = await tempFolder()
  const at = (name: string) => join(folder, name)
  await writeFile(at('program'), 'new')
  await writeFile(at('old'), '')
  await runAll([
    { do: 'copy', from: at('program'), path: at('lib/program'), mode: 0o755 },
    { do: 'write', path: at('etc/unit'), content: 'text', mode: 0o644 },
    { do: 'write', path: at('task.xml'), content: 'é', mode: 0o644, encoding: 'utf16le' },
    { do: 'run', command: ['touch', at('$(id); "x"')] },
    { do: 'run', command: ['false'], mayFail: true },
    { do: 'remove', path: at('old') },
  ])
  expect((await readdir(folder)).toSorted()).toEqual(['$(id); "x"', 'etc', 'lib', 'program', 'task.xml'])
  expect((await stat(at('lib/program'))).mode & 0o777).toBe(0o755)
  expect(await readFile(at('etc/unit'), 'utf8')).toBe('text')
  expect((await readFile(at('task.xml'))).toString('hex')).toBe('fffee900')
})

it('ends at the first step that fails, and names it', async () => {
  const folder = await tempFolder()
  const after = join(folder, 'after')
  const failing = runAll([
    { do: 'run', command: ['false'] },
    { do: 'write', path: after, content: '', mode: 0o644 },
  ])
  await expect(failing).rejects.toThrow('Installing the service failed at "run false"')
  await expect(runAll([{ do: 'run', command: ['no-such-program'] }])).rejects.toThrow('is missing')
  expect(await readdir(folder)).toEqual([])
})

it('tries again what a system is not ready for, or does it in the other way', async () => {
  const folder = await tempFolder()
  const at = (name: string) => join(folder, name)
  // fails until its third try
  const command = ['sh', '-c', 'echo x >> "$1"; test "$(wc -l < "$1")" -ge 3', 'sh', at('tries')] as const
  await runSteps('Installing', [{ do: 'run', command, tries: 5 }], () => {}, 1)
  expect(await readFile(at('tries'), 'utf8')).toBe('x\nx\nx\n')
  const step: ServiceStep = { do: 'run', command: ['false'], orElse: ['touch', at('other')], tries: 2 }
  await runSteps('Installing', [step], () => {}, 1)
  expect(await readdir(folder)).toContain('other')
  const failing = { ...step, orElse: ['false'] } as const
  await expect(runSteps('Installing', [failing], () => {}, 1)).rejects.toThrow(
    'Installing failed at "run false"',
  )
})

it('waits until a stop is over', async () => {
  const folder = await tempFolder()
  const looks = join(folder, 'looks')
  const command = ['sh', '-c', 'echo x >> "$1"; test "$(wc -l < "$1")" -lt 3', 'sh', looks] as const
  await runSteps('Installing', [{ do: 'wait', command }], () => {}, 1)
  expect(await readFile(looks, 'utf8')).toBe('x\nx\nx\n')
})

it('shows all that a program says about its failure', async () => {
  const command = [
    'sh',
    '-c',
    'printf "Bootstrap failed: 5: Input/output error\\nTry again as root.\\n" >&2; exit 5',
  ] as const
  await expect(runAll([{ do: 'run', command }])).rejects.toThrow(
    /Bootstrap failed: 5: Input\/output error Try again as root\.$/,
  )
})

it('puts paths of Windows below the folder that stands for the disk, too', () => {
  expect(stagedPath('/stage', '/etc/unit')).toBe('/stage/etc/unit')
  expect(stagedPath('/stage', 'C:\\ProgramData\\homeward-device\\task.xml')).toBe(
    '/stage/C/ProgramData/homeward-device/task.xml',
  )
})
