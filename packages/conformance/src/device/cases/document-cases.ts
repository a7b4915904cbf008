import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type DeviceCase, rowsOf } from '../device-trial.ts'
import type { PreparedFiles } from '../prepared-files.ts'

async function writeDocuments({ root }: PreparedFiles): Promise<void> {
  await writeFile(join(root, 'contract.md'), '# Contract\n\nThe tenant pays a deposit of three rents.\n')
  await writeFile(
    join(root, 'contract.html'),
    '<p>Every <b>deposit</b> is returned.</p><script>deposit()</script>',
  )
  await writeFile(join(root, 'broken.pdf'), '%PDF-1.7\nthis is not a document')
}

/** What agents do that search the text of documents: scope `content`. */
export const documentCases: readonly DeviceCase[] = [
  {
    id: 'search-content',
    title: 'A word inside Markdown and HTML is found, with the line that holds it, and markup is not text.',
    holds: operations.foundFile,
    prepare: writeDocuments,
    async run(trial) {
      const rows = rowsOf(await trial.search('deposit', ['content']))
      const names = rows.map(({ name }) => String(name)).toSorted()
      check(
        names.join(', ') === 'contract.html, contract.md',
        `"deposit" must find both documents, got ${names.join(', ')}.`,
      )
      for (const { name, matches } of rows as {
        name: string
        matches?: { text: string; line: number }[]
      }[]) {
        check(
          Array.isArray(matches) && matches.length === 1,
          `${name} must have one match, got ${JSON.stringify(matches)}.`,
        )
        const [first] = matches
        check(
          first?.text.includes('deposit') === true &&
            Number.isInteger(first.line) &&
            first.text.length <= 300,
          `A match has a line and at most 300 characters of text, got ${JSON.stringify(first)}.`,
        )
      }
    },
  },
  {
    id: 'search-content-skipped',
    title: 'A document that cannot be read is counted, and the search ends all the same.',
    holds: operations.results,
    prepare: writeDocuments,
    async run(trial) {
      const report = await trial.search('no such word', ['content'])
      check(report['error'] === null || report['error'] === undefined, 'The search must not fail.')
      const { skipped } = (report['results'] ?? {}) as { skipped?: { reason: string; count: number }[] }
      const counted = skipped?.find(({ reason }) => ['unreadable', 'unsupported'].includes(reason))
      check(
        counted !== undefined && counted.count >= 1,
        `"results.skipped" must count broken.pdf as unreadable or unsupported, got ${JSON.stringify(skipped)}.`,
      )
    },
  },
]
