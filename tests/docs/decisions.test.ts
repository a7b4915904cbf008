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
const idOf = (record: string) => /^# ([ACD]\d+): \S/.exec(read(record))?.[1] ?? ''

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
  it('there is one for each open point of the interface', () => {
    const ids = records.map(idOf)
    expect(interfaceDecisions.filter((id) => !ids.includes(id))).toEqual([])
    expect(new Set(ids).size).toBe(records.length)
  })

  it.each(records)('%s says why, what, what follows, and where it is implemented', (record) => {
    const text = read(record)
    const number = idOf(record).slice(1).padStart(2, '0')
    expect(record).toMatch(new RegExp(`/${idOf(record).charAt(0).toLowerCase()}${number}-[a-z0-9-]+\\.md$`))
    for (const part of ['Context', 'Decision', 'Consequence']) expect(text).toContain(`\n**${part}.** `)
    expect(text).toMatch(/\n\*\*Implemented in:\*\* \[/)
  })

  it.each(records)('%s is in the index, under its title', (record) => {
    const [, id = '', title = ''] = /^# (\w+): (.+)/.exec(read(record)) ?? []
    expect(read('docs/decisions/README.md')).toContain(`[${id}](${record.split('/').at(-1)}) ${title}\n`)
  })

  it.each(records)('%s is named in one of the files where it is implemented', (record) => {
    const [, implementedIn = ''] = /\*\*Implemented in:\*\* (.+)/.exec(read(record)) ?? []
    const sources = [...implementedIn.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, file = '']) =>
      read(file),
    )
    const id = idOf(record)
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
