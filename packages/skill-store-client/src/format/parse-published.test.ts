import { expect, it } from 'vitest'
import { parseSkillYaml } from './parse-skill-yaml.ts'
import { frontmatterLine } from './split-skill-markdown.ts'

const read = (text: string) => parseSkillYaml(text, 'SKILL.md')

it.each([
  ['Checks two things: names and types.'],
  ['Use when: the user asks'],
  ['[WIP] drafts mails'],
  ['[a] [b]'],
  ['{{name}} writes a letter'],
  ['@ops pages somebody'],
  ['*.{ts,tsx}'],
  ['**/*.py'],
  ['`npm test` and more'],
  ['%d days'],
  ['"Quoted" and: more'],
  ["'Quoted' and more"],
  ['ratio 1:2: fine #1'],
  ['- one'],
  ['C:\\temp: here'],
])('A15: takes a top-level value as it stands that YAML cannot read: %s', (value) => {
  const text = `name: demo\ndescription: ${value}\nmetadata:\n  version: "1.0"\n`
  const expected = { name: 'demo', description: value, metadata: { version: '1.0' } }
  expect(read(text)).toEqual(expected)
  expect(read(text.replaceAll('\n', '\r\n'))).toEqual(expected)
})

it('A15: joins the lines of such a value, and leaves the others as they are', () => {
  const text = 'description: Two axes: standards\n  and behavior.\n\nlist: [a, b]\nflag: true\nglobs: *.ts\n'
  expect(read(text)).toEqual({
    description: 'Two axes: standards and behavior.',
    list: ['a', 'b'],
    flag: true,
    globs: '*.ts',
  })
})

it.each([
  'a: [1',
  'a: {b: 1',
  'a: "open',
  "a: 'open",
  'a: !!js/function x',
  'a: 1\na: 2',
  'm:\n  a: b: c',
  'd: x: y\nd: z',
])('still rejects %j', (text) => {
  expect(() => read(text)).toThrow('Reading SKILL.md failed')
})

it('names the line of the file, also after a value that it quotes', () => {
  const markdown = '---\nname: demo\ndescription: Two: axes\n  more\nbroken: [1\n---\nBody'
  const manifest = 'name: demo\ndescription: Two: axes\n  more\nbroken: [1'
  expect(frontmatterLine(markdown)).toBe(2)
  expect(() => parseSkillYaml(manifest, 'SKILL.md', frontmatterLine(markdown))).toThrow(/at line 3, /)
  const repeated = () => parseSkillYaml('a: 1\nb: 2\na: 3', 'SKILL.md', 2)
  expect(repeated).toThrow(/at line 4, column 1/)
  expect(frontmatterLine('# Title\n\n```yaml\nname: a\n```\n')).toBe(4)
  expect(frontmatterLine('no manifest')).toBe(1)
})

it('A15: keeps the writing of numbers where people read them', () => {
  expect(
    read('name: 0042\nversion: 3.20\nmetadata:\n  version: 1.0\n  build: 7\n  hex: 0x10\ncount: 5'),
  ).toEqual({
    name: '0042',
    version: '3.20',
    metadata: { version: '1.0', build: 7, hex: '0x10' },
    count: 5,
  })
})
