import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { commandsOf, rowsToShow, unknownIn } from './shown-by.ts'

const read = (document: string) => readFileSync(join(workspaceFolder, document), 'utf8')
const documents = globSync(['README.md', 'docs/**/*.md', '{packages,apps}/*/README.md'], {
  cwd: workspaceFolder,
})
const scaling = read('docs/guides/scaling.md')

describe('commands that show what a document claims', () => {
  it.each(documents.filter((document) => commandsOf(read(document)).length > 0))(
    '%s names tests and measurements that there are',
    (document) => {
      const unknown = commandsOf(read(document)).flatMap((command) =>
        unknownIn(command).map((name) => `${name}: ${command}`),
      )
      expect(unknown).toEqual([])
    },
  )

  it('of a column "What shows it" are in every row of it', () => {
    const rows = documents.flatMap((document) => rowsToShow(read(document)))
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter(({ shownBy }) => commandsOf(shownBy).length === 0)).toEqual([])
  })

  it('are in every section of docs/guides/scaling.md', () => {
    const sections = scaling
      .replaceAll(/^```[^]*?^```$/gm, '')
      .split(/^#+ /m)
      .slice(1)
    expect(sections.length).toBeGreaterThan(8)
    const bare = sections.filter((section) => commandsOf(section).length === 0)
    expect(bare.map((section) => section.split('\n', 1)[0])).toEqual([])
  })

  it('are noticed when they name what is not there', () => {
    const file = 'tests/docs/shown-by.test.ts'
    const commands = [
      `npx vitest run ${file}`,
      `npx vitest run ${file} -t "when they name"`,
      `CI=1 npx vitest run tests/docs ${file} -t noticed`,
      'npm run bench -- --only fleet,held-polls',
      `npx vitest run ${file} -t ${'nothing'.repeat(2)}`,
      'npx vitest run tests/no-docs/gone.test.ts',
      'npx vitest run tests/no-docs',
      'npm run bench -- --only fleet,fleets',
    ]
    expect(commands.map((command) => unknownIn(command))).toEqual([
      [],
      [],
      [],
      [],
      [`nothingnothing in ${file}`],
      ['tests/no-docs/gone.test.ts'],
      ['tests/no-docs'],
      ['fleets'],
    ])
    expect(
      rowsToShow(
        '| What | What shows it |\n| --- | --- |\n| a | `npx vitest run x` |\n| b | nothing |\n\n| c | d |',
      ),
    ).toEqual([
      { row: 'a', shownBy: '`npx vitest run x`' },
      { row: 'b', shownBy: 'nothing' },
    ])
  })
})
