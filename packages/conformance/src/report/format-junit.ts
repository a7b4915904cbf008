import type { CaseResult } from '../conformance-case.ts'

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
export function formatJunit(name: string, results: readonly CaseResult[]): string {
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
