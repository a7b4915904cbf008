import { expect, it } from 'vitest'
import { craftZip } from '../testing/craft-zip.ts'
import { toSkillFiles } from './to-skill-files.ts'

const encode = (text: string) => new TextEncoder().encode(text)

it('takes Markdown for a SKILL.md', async () => {
  expect(await toSkillFiles(encode('# Weather'))).toEqual([{ path: 'SKILL.md', bytes: encode('# Weather') }])
})

it('takes the one folder around a skill away, and what archivers add', async () => {
  const files = await toSkillFiles(
    craftZip([
      { name: 'weather/SKILL.md', content: 'x' },
      { name: 'weather/.DS_Store', content: 'x' },
      { name: '__MACOSX/weather/._SKILL.md', content: 'x' },
      { name: 'weather/scripts/run.py', content: 'y' },
      { name: 'weather/scripts/.DS_Store', content: 'y' },
    ]),
  )
  expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/run.py'])
})

it('leaves a skill without a folder around it as it is', async () => {
  for (const root of ['SKILL.md', 'skill.yaml']) {
    const names = ['scripts/run.py', root, 'scripts/SKILL.md']
    const files = await toSkillFiles(craftZip(names.map((name) => ({ name, content: 'x' }))))
    expect(files.map(({ path }) => path)).toEqual(names)
  }
})

it.each(['PK is how this begins', '# A page\n<html>\n', 'x<html>', 'Plan'])(
  'takes %j for Markdown',
  async (text) => {
    expect(await toSkillFiles(encode(text))).toEqual([{ path: 'SKILL.md', bytes: encode(text) }])
  },
)

it.each([
  ['an archive without a skill', craftZip([{ name: 'readme.txt', content: 'x' }])],
  ['an archive without files', craftZip([])],
  ['an archive with the skill too deep', craftZip([{ name: 'a/b/SKILL.md', content: 'x' }])],
  ['a web page', encode('<!DOCTYPE html><html>Not found</html>')],
  ['a web page behind blank lines', encode('\n  <html lang="en">')],
  ['text with a zero in it', encode('a\0b')],
  ['text that is not UTF-8', Uint8Array.of(0x23, 0xff, 0xfe)],
  ['nothing', new Uint8Array()],
  ['blank lines', encode('  \n')],
])('refuses %s', async (_, content) => {
  await expect(toSkillFiles(content)).rejects.toMatchObject({ code: 'INVALID_CONTENT' })
})
