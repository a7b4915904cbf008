import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import { type DeviceCase, rowsOf } from '../device-trial.ts'
import type { PreparedFiles } from '../prepared-files.ts'

/** Files that differ in one respect each. */
async function writeInvoices({ root }: PreparedFiles): Promise<void> {
  const files = [
    ['Invoice Müller 2024.pdf', 10, 2024],
    ['invoice acme 2025.PDF', 30, 2025],
    ['invoice acme 2026.txt', 20, 2026],
    ['invoice.mp4', 40, 2023],
  ] as const
  for (const [name, bytes, year] of files) {
    await writeFile(join(root, 'sub', name), 'x'.repeat(bytes))
    const seconds = Date.UTC(year, 0, 1) / 1000
    await utimes(join(root, 'sub', name), seconds, seconds)
  }
}

const named = (report: Readonly<Record<string, unknown>>): string =>
  rowsOf(report)
    .map(({ name }) => String(name))
    .join(', ')

const where = [
  { kind: ['video'] },
  { extension: ['mp4'] },
  { minBytes: 31 },
  { modifiedBefore: '2023-12-31T00:00:00Z' },
]

/** What agents do that know `where`, `sort`, `limit` and words. */
export const selectionCases: readonly DeviceCase[] = [
  {
    id: 'search-where',
    title: 'Every field of "where" leaves out the files that do not meet it.',
    holds: operations.searches,
    prepare: writeInvoices,
    async run(trial) {
      for (const each of where) {
        const found = named(await trial.search('invoice', ['files'], { where: each }))
        check(found === 'invoice.mp4', `${JSON.stringify(each)} must find invoice.mp4 alone, got ${found}.`)
      }
      const folder = join(trial.files.root, 'sub')
      const inFolder = rowsOf(await trial.search('invoice', ['files'], { where: { folder } })).length
      check(inFolder === 4, `The folder ${folder} must give 4 files, got ${inFolder}.`)
      const beside = named(
        await trial.search('invoice', ['files'], { where: { folder: folder.slice(0, -1) } }),
      )
      check(beside === '', `A folder is a whole name, but a part of it gave ${beside}.`)
      const all = named(await trial.search('', ['files'], { where: { kind: ['video'] } }))
      check(all === 'invoice.mp4', `An empty text with a condition must find invoice.mp4, got ${all}.`)
    },
  },
  {
    id: 'search-sort-limit',
    title: 'The first "limit" files in the order of "sort" are reported, and that there are more is said.',
    holds: operations.searches,
    prepare: writeInvoices,
    async run(trial) {
      const report = await trial.search('invoice', ['files'], { sort: '-modified', limit: 2 })
      const found = named(report)
      check(
        found === 'invoice acme 2026.txt, invoice acme 2025.PDF',
        `The two newest files must be reported, newest first, got ${found}.`,
      )
      const { truncated } = (report['results'] ?? {}) as { truncated?: { files?: unknown } }
      check(truncated?.files === true, '"results.truncated.files" must be true.')
    },
  },
  {
    id: 'search-words',
    title: 'Words are found in any order, with and without their accents.',
    holds: decisions.searchText,
    prepare: writeInvoices,
    async run(trial) {
      const acme = named(await trial.search('2025 acme'))
      check(acme === 'invoice acme 2025.PDF', `"2025 acme" must find one file, got ${acme}.`)
      const muller = named(await trial.search('muller'))
      check(muller === 'Invoice Müller 2024.pdf', `"muller" must find one file, got ${muller}.`)
    },
  },
]
