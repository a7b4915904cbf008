import type { CaseResult } from '../conformance-case.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** One result as lines of text. */
export function resultLines(result: CaseResult): string[] {
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
export function summaryLine(results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}
