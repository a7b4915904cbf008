import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { buildRecord } from '../../scripts/packs/build-record.ts'
import { libraryPackages } from '../../scripts/workspace-packages.ts'

it('a build is made again once its sources, its output or its dependencies are not as they were', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-record-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const write = (file: string, text: string) => writeFile(join(folder, file), text)
  await mkdir(join(folder, 'src'))
  await mkdir(join(folder, 'dist'))
  await write('src/index.ts', 'export const one = 1\n')
  await write('dist/index.js', 'export const one = 1\n')
  const [library] = libraryPackages()
  const one = { ...library!, name: folder.replaceAll(/\W/g, '-'), folder, imports: [] as readonly string[] }
  const isCurrent = (imports = one.imports) => buildRecord({ ...one, imports }).isCurrent()

  expect(isCurrent()).toBe(false)
  const record = buildRecord(one)
  record.write()
  onTestFinished(() => record.forget())
  expect(isCurrent()).toBe(true)
  expect(isCurrent([library!.name])).toBe(false)

  await write('src/index.ts', 'export const one = 2\n')
  expect(isCurrent()).toBe(false)
  await write('src/index.ts', 'export const one = 1\n')
  await write('dist/more.js', '')
  expect(isCurrent()).toBe(false)
  await rm(join(folder, 'dist'), { recursive: true })
  expect(isCurrent()).toBe(false)
})
