import { describe, expect, it } from 'vitest'
import { libraryPackages } from '../../scripts/workspace-packages.ts'
import { publicNames } from './public-names.ts'

const packages = libraryPackages()
const names = publicNames(packages)

describe.each(packages)('$name', ({ name, entries }) => {
  it('exports the names that were agreed on: run `npx vitest run tests/packages -u` after a change on purpose', async () => {
    const list = entries.map(({ specifier }) => [
      specifier,
      ...(names.get(specifier) ?? []).map((each) => `  ${each}`),
    ])
    const file = `./__snapshots__/${name.split('/')[1]}.txt`
    await expect(`${list.map((lines) => lines.join('\n')).join('\n\n')}\n`).toMatchFileSnapshot(file)
  })

  it.each(entries)('$specifier has something to import', ({ specifier }) => {
    expect(names.get(specifier)).not.toEqual([])
  })
})
