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

it('puts paths of Windows below the folder that stands for the disk, too', () => {
  expect(stagedPath('/stage', '/etc/unit')).toBe('/stage/etc/unit')
  expect(stagedPath('/stage', 'C:\\ProgramData\\homeward-device\\task.xml')).toBe(
    '/stage/C/ProgramData/homeward-device/task.xml',
  )
})
