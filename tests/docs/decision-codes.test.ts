import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const pages = globSync(['README.md', 'SECURITY.md', 'docs/**/*.md', '{packages,apps}/*/README.md'], {
  cwd: workspaceFolder,
  exclude: ['docs/decisions/**', 'docs/project/**'],
})

/** Numbers of decisions in the prose of a page, such as `C9`; code is not prose. */
const codesIn = (text: string) =>
  text
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .match(/\b[ACD]\d{1,2}\b/g) ?? []

it.each(pages)('%s states rules instead of the numbers of decisions', (page) => {
  expect(codesIn(readFileSync(join(workspaceFolder, page), 'utf8'))).toEqual([])
})

it('finds the number of a decision in a sentence and in a link, and not in code', () => {
  expect(codesIn('As [C9](c09.md) says (A12), `D3` is code.\n\n```text\nD4\n```\n')).toEqual(['C9', 'A12'])
})
