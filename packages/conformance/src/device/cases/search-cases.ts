import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { check } from '../../conformance-case.ts'
import { decisions, operations, rules } from '../../references.ts'
import { json, type Reply } from '../cloud/reply.ts'
import { jsonOf } from '../cloud/seen-request.ts'
import { type DeviceCase, reportsOf, rowsOf } from '../device-trial.ts'
import { contents } from '../prepared-files.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** What is asked, found and reported. */
export const searchCases: readonly DeviceCase[] = [
  {
    id: 'search-reported',
    title: 'A search is run and reported once, with its queryId and what was found.',
    holds: operations.report,
    async run(trial) {
      const search = trial.cloud.work.addSearch('alpha')
      const report = await trial.until('the report of a search', () => search.reports[0])
      const [seen] = trial.of('report')
      const type = seen?.headers['content-type'] ?? 'none'
      check(
        /^application\/json\b/i.test(type),
        `The Content-Type of a report must be application/json, got ${type}.`,
      )
      check(seen !== undefined && jsonOf(seen) !== undefined, 'A report must be JSON in UTF-8.')
      const names = rowsOf(report).map(({ name }) => name)
      check(
        names.includes('alpha-notes.txt'),
        `"results.files" must hold alpha-notes.txt, got ${JSON.stringify(names)}.`,
      )
      check(
        !report['error'],
        `A search without a failure must have no "error", got ${JSON.stringify(report['error'])}.`,
      )
      await trial.rest(2 * trial.intervalMs)
      check(
        search.reports.length === 1,
        `An acknowledged report must not be sent again, got ${search.reports.length}.`,
      )
    },
  },
  {
    id: 'found-file-fields',
    title: 'A found file has path, name, size in bytes, and the time of its last change in ISO 8601.',
    holds: operations.foundFile,
    async run(trial) {
      const report = await trial.search('gamma')
      const [row] = rowsOf(report)
      check(row !== undefined, '"results.files" must hold the file gamma.bin.')
      const { path, name, size, modified } = row
      const real = await stat(join(trial.files.root, 'sub/deep/gamma.bin'))
      check(
        typeof path === 'string' && isAbsolute(path),
        `"path" must be an absolute path, got ${JSON.stringify(path)}.`,
      )
      check(path.endsWith('gamma.bin'), `"path" must end with the name of the file, got ${path}.`)
      check(name === 'gamma.bin', `"name" must be gamma.bin, got ${JSON.stringify(name)}.`)
      check(size === real.size, `"size" must be the integer ${real.size}, got ${JSON.stringify(size)}.`)
      check(
        typeof modified === 'string' && isoTime.test(modified),
        `"modified" must be an ISO 8601 time with a zone, got ${JSON.stringify(modified)}.`,
      )
      const offMs = Math.abs(Date.parse(modified) - real.mtimeMs)
      check(
        offMs < 2000,
        `"modified" must be the time of the last change; it is off by ${Math.round(offMs / 1000)} s.`,
      )
    },
  },
  {
    id: 'letter-case',
    title: 'A file is found by a part of its name, in any letter case, in every folder below the shared one.',
    holds: decisions.searchText,
    async run(trial) {
      const names = rowsOf(await trial.search('BETA rep')).map(({ name }) => name)
      check(
        names.includes('Beta Report.txt'),
        `"BETA rep" must find "Beta Report.txt", got ${JSON.stringify(names)}.`,
      )
    },
  },
  {
    id: 'nothing-found',
    title: 'A search that finds nothing is completed, with an empty list and without an error.',
    holds: operations.results,
    async run(trial) {
      const report = await trial.search('no-such-name-anywhere')
      const { files } = (report['results'] ?? {}) as { readonly files?: unknown }
      check(
        Array.isArray(files) && files.length === 0,
        `"results.files" must be an empty list, got ${JSON.stringify(files)}.`,
      )
      check(!report['error'], `Finding nothing is not an error, got ${JSON.stringify(report['error'])}.`)
    },
  },
  {
    id: 'unknown-scope',
    title: 'A scope that the agent does not have is reported as an error; the other scopes still run.',
    holds: operations.report,
    async run(trial) {
      const alone = await trial.search('alpha', ['no-such-scope'])
      const error = alone['error']
      check(
        typeof error === 'string' && error.trim() !== '',
        `"error" must say why, got ${JSON.stringify(error)}.`,
      )
      const mixed = await trial.search('alpha', ['files', 'no-such-scope'])
      check(
        rowsOf(mixed).length > 0,
        'A report with an unknown scope must still have the files that were found.',
      )
      check(
        typeof mixed['error'] === 'string' && mixed['error'].trim() !== '',
        '"error" must name the unknown scope.',
      )
    },
  },
  {
    id: 'several-searches',
    title: 'Every search of a list is reported, oldest or newest.',
    holds: operations.searches,
    async run(trial) {
      await trial.online()
      const searches = ['alpha', 'beta', 'gamma'].map((query) => trial.cloud.work.addSearch(query))
      await trial.until('three reports', () => searches.every(({ reports }) => reports.length > 0))
      for (const { query, reports } of searches) {
        const names = rowsOf(reports[0] ?? {}).map(({ name }) => String(name).toLowerCase())
        check(
          names.some((name) => name.includes(query)),
          `The report of "${query}" must hold what it found, got ${JSON.stringify(names)}.`,
        )
      }
    },
  },
  {
    id: 'search-again',
    title: 'The same words in a new search are searched and reported anew.',
    holds: operations.report,
    async run(trial) {
      for (const round of ['first', 'second']) {
        const report = await trial.search('beta')
        check(rowsOf(report).length > 0, `The ${round} search for "beta" must report the file.`)
      }
    },
  },
  {
    id: 'unknown-fields',
    title: 'Fields that the agent does not know change nothing, in answers and in requests.',
    holds: rules,
    async run(trial) {
      trial.cloud.meddle = async (_, work) => withMore(await work())
      const report = await trial.search('alpha')
      check(rowsOf(report).length > 0, 'The search must be reported with what it found.')
      const upload = await trial.upload(join(trial.files.root, 'alpha-notes.txt'))
      check(
        upload.content?.equals(contents['alpha-notes.txt']!) === true,
        'The file must arrive byte by byte.',
      )
    },
  },
  {
    id: 'failed-acknowledged',
    title: 'A report that sets its search to "failed" is acknowledged and must not be sent again.',
    holds: decisions.failedStatus,
    async run(trial) {
      const { cloud } = trial
      const search = cloud.work.addSearch('alpha')
      cloud.meddle = async (request, work) => {
        if (request.operation !== 'report') return undefined
        await work()
        return json({ success: false, queryId: search.id, status: 'failed', error: 'canceled' })
      }
      await trial.until('the report of a search', () => search.reports[0])
      await trial.rest(Math.max(3 * trial.intervalMs, 1000))
      const sent = reportsOf(trial, search.id).length
      check(sent === 1, `A report answered with "failed" must not be sent again, got ${sent} reports.`)
    },
  },
]

/** The answer with fields of a later version, at its top and in each listed request. */
function withMore(reply: Reply): Reply {
  const body = JSON.parse(reply.body.toString()) as { requests?: readonly object[] }
  const more = { addedLater: { deep: [1, null, 'x'] }, status2: true }
  const requests = body.requests?.map((each) => ({ addedLater: [null], ...each, priority: 7 }))
  const headers: Record<string, string> = { ...reply.headers, 'x-added-later': '1' }
  return json({ ...more, ...body, ...(requests && { requests }) }, reply.status, headers)
}
