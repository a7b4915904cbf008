import { check } from '../../conformance-case.ts'
import { decisions, operations, rules } from '../../references.ts'
import { json } from '../cloud/reply.ts'
import type { TestSearch } from '../cloud/pending-work.ts'
import { type DeviceCase, type DeviceTrial, rowsOf } from '../device-trial.ts'

const toRow = ({ id, query, scope, createdAt }: TestSearch) => ({ id, query, scope, createdAt })

/** Lists `rows` in place of what waits. */
function list(trial: DeviceTrial, rows: () => readonly unknown[], more: object = {}): void {
  trial.cloud.meddle = (request) =>
    request.operation === 'searches' ? json({ requests: rows(), ...more }) : undefined
}

const oddQueries = [
  '(*[?+\\',
  '../../etc/passwd',
  'tab\tand\nline',
  '🦊 ünïcode',
  '%00%2e%2e',
  '"quotes" \'and\' `ticks`',
]

/** Lists that a careless agent trips over. */
export const oddListCases: readonly DeviceCase[] = [
  {
    id: 'duplicate-search',
    title: 'A search that is listed twice, and again after its report, does not stop the agent.',
    holds: decisions.firstReport,
    async run(trial) {
      const { work } = trial.cloud
      const twice = work.addSearch('alpha')
      let extra = 2
      list(trial, () => {
        const open = [...work.searches.values()].filter(({ settled }) => !settled).map(toRow)
        return twice.settled && extra-- > 0 ? [toRow(twice), ...open] : [...open, ...open]
      })
      await trial.until('the report of the search', () => twice.reports[0])
      const next = await trial.search('beta')
      check(rowsOf(next).length > 0, 'The next search must be reported with what it found.')
    },
  },
  {
    id: 'malformed-rows',
    title: 'A listed request of another form is left alone, and the others are answered.',
    holds: operations.searches,
    async run(trial) {
      const search = trial.cloud.work.addSearch('alpha')
      const odd = [
        null,
        7,
        'text',
        {},
        { id: 5, query: 'a' },
        { id: 'x', query: null, scope: 'files' },
        { id: 'y', query: 'a', scope: [1] },
      ]
      list(trial, () => (search.settled ? [] : [...odd, toRow(search)]))
      const report = await trial.until('the report of the search after the odd ones', () => search.reports[0])
      check(rowsOf(report).length > 0, 'The search must be reported with what it found.')
    },
  },
  {
    id: 'large-list',
    title: 'A list of a megabyte is read, and its search is answered.',
    holds: operations.searches,
    async run(trial) {
      const search = trial.cloud.work.addSearch('alpha')
      list(trial, () => (search.settled ? [] : [toRow(search)]), { addedLater: 'x'.repeat(1_000_000) })
      await trial.until('the report of the search', () => search.reports[0])
    },
  },
  {
    id: 'odd-queries',
    title: 'Search text with signs of patterns, paths and programs is searched as text, and reported.',
    holds: decisions.searchText,
    async run(trial) {
      const searches = oddQueries.map((query) => trial.cloud.work.addSearch(query))
      await trial.until('a report of every search', () => searches.every(({ reports }) => reports.length > 0))
      for (const { reports } of searches) {
        const paths = rowsOf(reports[0] ?? {}).map(({ path }) => String(path))
        check(!paths.some((path) => path.includes('passwd')), 'A search must not leave the shared folder.')
      }
    },
  },
  {
    id: 'empty-scope',
    title: 'A search without a scope is reported, with results or with an error.',
    holds: operations.report,
    async run(trial) {
      const report = await trial.search('alpha', [])
      const { results = null, error } = report
      const hasOutcome = (typeof results === 'object' && results !== null) || typeof error === 'string'
      check(hasOutcome, 'A report must have "results" or "error".')
    },
  },
  {
    id: 'late-list',
    title: 'A list that comes after a second is waited for.',
    holds: rules,
    async run(trial) {
      trial.cloud.meddle = async (request, work) => {
        if (request.operation === 'searches') await trial.rest(1000)
        return work()
      }
      await trial.search('alpha')
    },
  },
]
