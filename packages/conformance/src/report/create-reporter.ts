import type { CaseResult } from '../conformance-case.ts'

/** How results are written. */
export const formats = ['text', 'junit', 'json'] as const

/** One of {@link formats}. */
export type Format = (typeof formats)[number]

/** Writes results as they come, or all of them at the end. */
interface Reporter {
  /** Takes one result. */
  readonly add: (result: CaseResult) => void
  /** Takes all results, in the order of the cases. */
  readonly end: (results: readonly CaseResult[]) => void
}

/** Builds a reporter. Text is written line by line, the other formats as one document at the end. */
export function createReporter(format: Format, name: string, write: (text: string) => void): Reporter {
  const end = (text: (results: readonly CaseResult[]) => string): Reporter => ({
    add: () => {},
    end: (results) => write(text(results)),
  })
  if (format === 'junit') return end((results) => formatJunit(name, results))
  if (format === 'json') return end((results) => `${JSON.stringify({ name, results }, null, 2)}\n`)
  return {
    add: (result) => write(`${resultLines(result).join('\n')}\n`),
    end: (results) => write(`${summaryLine(results)}\n`),
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** One result as lines of text. */
function resultLines(result: CaseResult): string[] {
  const { outcome, id, title, tookMs, reason, holds, seen = [] } = result
  const mark = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' }[outcome]
  const head = `${mark} ${id}: ${title} (${seconds(tookMs)})`
  if (outcome === 'passed') return [head]
  if (outcome === 'skipped') return [head, `    ${reason}`]
  return [
    head,
    `    ${reason}`,
    `    See ${holds.document}, ${holds.section}: ${holds.link}`,
    ...seen.map((line) => `      ${line.replaceAll('\n', '\n      ')}`),
  ]
}

/** The last line: how many cases passed, failed and were skipped. */
function summaryLine(results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}

// XML 1.0 cannot hold these at all, not even escaped.
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const escape = (text: string) =>
  text
    .replaceAll(unwritable, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** All results as JUnit XML: one suite for each level. */
function formatJunit(name: string, results: readonly CaseResult[]): string {
  const suites = [...new Set(results.map(({ level }) => level))].map((level) =>
    suite(
      `${name} ${level}`,
      results.filter((each) => each.level === level),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escape(name)}">\n${suites.join('')}</testsuites>\n`
}

function suite(name: string, results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const seconds = results.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000
  const counts = `tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}"`
  return `  <testsuite name="${escape(name)}" ${counts} time="${seconds}">\n${results.map(testcase).join('')}  </testsuite>\n`
}

function testcase({ id, level, title, outcome, tookMs, reason = '', holds, seen = [] }: CaseResult): string {
  const head = `    <testcase classname="${level}.${id}" name="${escape(title)}" time="${tookMs / 1000}"`
  if (outcome === 'passed') return `${head}/>\n`
  if (outcome === 'skipped') return `${head}><skipped message="${escape(reason)}"/></testcase>\n`
  const text = [`See ${holds.document}, ${holds.section}: ${holds.link}`, ...seen].join('\n')
  return `${head}><failure message="${escape(reason)}">${escape(text)}</failure></testcase>\n`
}
