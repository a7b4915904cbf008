import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSkillScanner, type ScannedSkill } from './scan-skills.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-scan-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const manifest = (description: string) => `---\nname: a skill\ndescription: ${description}\n---\nRead me`

async function write(id: string, file: string, text: string): Promise<void> {
  await mkdir(join(folder, id), { recursive: true })
  await writeFile(join(folder, id, file), text)
}

let hours = 0
/** Makes a folder look as if it had been left alone for hours, each time others: two calls may come in one millisecond. */
async function settle(id: string): Promise<void> {
  const then = new Date(Date.now() - ++hours * 3_600_000)
  await utimes(join(folder, id), then, then)
}

const texts = (scanned: readonly ScannedSkill[]) =>
  scanned.map((one) => ('skill' in one ? [one.skill.description, one.skill.tools.length] : one.error))

it('A15: gives the very same list until something changes', async () => {
  await write('a', 'SKILL.md', manifest('one'))
  const scan = createSkillScanner(folder)
  const before = await scan()
  expect(await scan()).toBe(before)
  await write('b', 'SKILL.md', manifest('two'))
  expect(texts(await scan())).toEqual([
    ['one', 0],
    ['two', 0],
  ])
  await rm(join(folder, 'a'), { recursive: true })
  expect(texts(await scan())).toEqual([['two', 0]])
})

it.each(['just now', 'long ago'])('A15: sees each change of a folder that changed %s', async (when) => {
  await write('a', 'SKILL.md', manifest('one'))
  const scan = createSkillScanner(folder)
  const look = async () => {
    if (when === 'long ago') await settle('a')
    await scan()
    return texts(await scan())
  }
  await look()
  await write('a', 'SKILL.md', manifest('another'))
  expect(await look()).toEqual([['another', 0]])
  await write('a', 'tools.yaml', 'tools: [{ id: now, description: d, method: GET, path: /now }]')
  expect(await look()).toEqual([['another', 1]])
  await rm(join(folder, 'a', 'tools.yaml'))
  expect(await look()).toEqual([['another', 0]])
  await rm(join(folder, 'a', 'SKILL.md'))
  expect(await look()).toEqual([expect.stringMatching(/SKILL\.md failed/)])
})

it('shares a look among those that ask together, and begins another for those that ask later', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `skill-${index}`)
  for (const id of ids) await write(id, 'SKILL.md', manifest('one'))
  const scan = createSkillScanner(folder)
  await scan()
  const [first, second] = [scan(), scan()]
  expect(second).toBe(first)
  await write('skill-7', 'SKILL.md', manifest('another'))
  const later = await scan()
  expect(texts(later).filter((text) => text[0] === 'another')).toHaveLength(1)
  expect(await scan()).toBe(later)
})

it('A15: sees that a script has come into a folder of the skill', async () => {
  const tool = (command: string) =>
    `tools: [{ id: now, description: d, type: exec, command: [python3, ${command}] }]`
  await write('a', 'SKILL.md', manifest('one'))
  await write('a', 'tools.yaml', tool('scripts/now.py'))
  await mkdir(join(folder, 'a', 'scripts', 'now.py'), { recursive: true })
  await settle('a')
  const scan = createSkillScanner(folder)
  const before = await scan()
  expect(texts(before)).toEqual([expect.stringMatching(/now\.py" is not a file/)])
  expect(await scan()).toBe(before)
  await rm(join(folder, 'a', 'scripts', 'now.py'), { recursive: true })
  expect(texts(await scan())).toEqual([expect.stringMatching(/now\.py" does not exist/)])
  await writeFile(join(folder, 'a', 'scripts', 'now.py'), '')
  const after = await scan()
  expect(texts(after)).toEqual([['one', 1]])
  expect(await scan()).toBe(after)
})

it.each(['SKILL.md', 'tools.yaml'])('A15: a %s that links to itself costs no other skill', async (file) => {
  await write('a', 'SKILL.md', manifest('one'))
  await write('b', file === 'SKILL.md' ? 'SETUP.md' : 'SKILL.md', manifest('two'))
  await symlink(file, join(folder, 'b', file))
  const scan = createSkillScanner(folder)
  const before = await scan()
  const problem = `Reading ${file} failed: the operating system denied access. Check the permissions of the file and the target of its link.`
  expect(texts(before)).toEqual([['one', 0], problem])
  expect(await scan()).toBe(before)
  await rm(join(folder, 'b', file))
  await write('b', file, file === 'SKILL.md' ? manifest('two') : 'tools: []')
  expect(texts(await scan())).toEqual([
    ['one', 0],
    ['two', 0],
  ])
})

it('A15: reads a file again whose permissions have changed', async () => {
  await write('a', 'SKILL.md', manifest('one'))
  await settle('a')
  const scan = createSkillScanner(folder)
  const before = await scan()
  await chmod(join(folder, 'a', 'SKILL.md'), 0o600)
  expect(await scan()).not.toBe(before)
})
