import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createProject, templates, type TemplateName } from './create-project.ts'

async function tempFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'create-homeward-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
const readManifest = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))

it.each(Object.keys(templates) as TemplateName[])('creates %s in a new folder', async (template) => {
  const folder = join(await tempFolder(), 'My Home')
  await createProject({ folder, template })
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'package.json']))
  expect(await readManifest(folder)).toMatchObject({
    name: 'my-home',
    private: true,
    scripts: { start: expect.any(String) },
  })
})

it('changes nothing in a folder that holds files', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'notes.txt'), 'mine')
  await expect(createProject({ folder, template: 'home' })).rejects.toThrow('is not empty. Use a new folder.')
  expect(await readdir(folder)).toEqual(['notes.txt'])
})

it('takes the packages from a folder of archives', async () => {
  const packs = join(await tempFolder(), 'packs')
  await mkdir(packs)
  for (const name of ['homeward-agent-runtime-0.1.0', 'homeward-kit-0.1.0', 'homeward-0.1.0'])
    await writeFile(join(packs, `${name}.tgz`), '')
  const folder = join(await tempFolder(), 'chat')
  await createProject({ folder, template: 'agent', packs })
  const { dependencies, overrides } = await readManifest(folder)
  expect(dependencies['@homeward/agent-runtime']).toBe(`file:${packs}/homeward-agent-runtime-0.1.0.tgz`)
  expect(dependencies['ai']).toMatch(/^\^/)
  expect(overrides).toMatchObject({
    '@homeward/kit': `file:${packs}/homeward-kit-0.1.0.tgz`,
    homeward: `file:${packs}/homeward-0.1.0.tgz`,
  })
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['server.ts', 'tsconfig.json']))
  await expect(
    createProject({ folder: join(await tempFolder(), 'cloud'), template: 'device-cloud', packs }),
  ).rejects.toThrow('has no archive of @homeward/cloud-core. Build the archives again.')
})
