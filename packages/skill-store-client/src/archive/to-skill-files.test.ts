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
    ]),
  )
  expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/run.py'])
})

it.each([
  ['an archive without a skill', craftZip([{ name: 'readme.txt', content: 'x' }])],
  ['an archive with the skill too deep', craftZip([{ name: 'a/b/SKILL.md', content: 'x' }])],
  ['a web page', encode('<!DOCTYPE html><html>Not found</html>')],
  ['bytes', Uint8Array.of(0xff, 0xfe, 0x00)],
  ['nothing', new Uint8Array()],
])('refuses %s', async (_, content) => {
  await expect(toSkillFiles(content)).rejects.toMatchObject({ code: 'INVALID_CONTENT' })
})
