import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { decisionsInTitles } from './test-titles.ts'

const platformDecisions = Array.from({ length: 22 }, (_, index) => index + 1)
const interfaceDecisions = [
  ...Array.from({ length: 26 }, (_, index) => `C${index + 1}`),
  ...platformDecisions.map((number) => `A${number}`),
]
const records = globSync('docs/decisions/*.md', { cwd: workspaceFolder })
  .filter((file) => !file.endsWith('README.md'))
  .toSorted()
const read = (file: string) => readFileSync(join(workspaceFolder, file), 'utf8')
const index = read('docs/decisions/README.md')

/** The sections of a record: one for each decision. */
const sectionsOf = (record: string) =>
  read(record)
    .split(/^## (?=[ACD]\d+: )/m)
    .slice(1)
    .map((text) => ({ record, text, id: /^[ACD]\d+/.exec(text)?.[0] ?? '' }))
const sections = records.flatMap(sectionsOf)

const testFiles = globSync(
  [
    '{packages,apps}/*/src/**/*.test.ts',
    'packages/*/src/testing/*-cases.ts',
    'packages/*/src/testing/*-conformance.ts',
    'tests/**/*.test.ts',
    'examples/**/*.test.ts',
  ],
  { cwd: workspaceFolder, exclude: ['**/node_modules/**'] },
)
const tested = new Set(testFiles.flatMap((file) => decisionsInTitles(read(file))))

describe('the records of decisions', () => {
  it('have a section for each open point of the interface, and no code twice', () => {
    const ids = sections.map(({ id }) => id)
    expect(interfaceDecisions.filter((id) => !ids.includes(id))).toEqual([])
    expect(new Set(ids).size).toBe(sections.length)
    expect(records.length).toBeLessThan(50)
  })

  it.each(records)('%s has a date, alternatives and decisions, and is in the index', (record) => {
    const text = read(record)
    expect(text).toMatch(/^# (?![ACD]\d)\S/)
    expect(text).toMatch(/\n\*\*Date\.\*\* 20\d\d-\d\d-\d\d[^\n]*\.\n/)
    expect(text).toMatch(/\n\*\*Alternatives that were not chosen\.\*\*\n\n- \S/)
    expect(sectionsOf(record)).not.toEqual([])
    expect(index).toContain(`](${record.split('/').at(-1)}): `)
  })

  it.each(sections)(
    '$id says why, what, what follows, and where it is implemented',
    ({ text, id, record }) => {
      for (const part of ['Context', 'Decision', 'Consequence']) expect(text).toContain(`\n**${part}.** `)
      expect(text).toMatch(/\n\*\*Implemented in:\*\* \[/)
      expect(index).toContain(`[${id}](${record.split('/').at(-1)}#${id.toLowerCase()}-`)
    },
  )

  it.each(sections)('$id is named in one of the files where it is implemented', ({ text, id }) => {
    const [, implementedIn = ''] = /\*\*Implemented in:\*\* (.+)/.exec(text) ?? []
    const sources = [...implementedIn.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, file = '']) =>
      read(file),
    )
    // decisions of the implementation are explained where they act, not numbered
    if (!id.startsWith('D'))
      expect(sources.filter((source) => new RegExp(`\\b${id}\\b`).test(source))).not.toEqual([])
    else expect(sources).not.toEqual([])
  })

  it.each(interfaceDecisions)('%s has a test that is named after it', (id) => {
    expect(tested).toContain(id)
  })
})

describe('decisionsInTitles', () => {
  it('reads the numbers that a title starts with, of every kind of case', () => {
    const text = [
      "it('C1, C2: two of them', () => {})",
      "it.each([400, 403])('C17: never %i', () => {})",
      "storeCase('C9: settles once', run)",
      "  name: 'C11: pages',",
      'describe(`C5: a group`, () => {})',
      "it('A2, A13: of the other interface', () => {})",
    ]
    expect(decisionsInTitles(text.join('\n'))).toEqual(['C1', 'C2', 'C17', 'C9', 'C11', 'C5', 'A2', 'A13'])
  })

  it('takes no number that stands elsewhere for one', () => {
    expect(
      decisionsInTitles("// C3: later\nit('sees C4 in passing', () => {})\nconst text = 'C5: no title'"),
    ).toEqual([])
  })
})
