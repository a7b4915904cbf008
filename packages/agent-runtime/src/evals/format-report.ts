import type { EvalAttempt, EvalReport, EvalScorerReport } from './eval-report.ts'
import type { EvalRate } from './wilson.ts'

/** Options for formatting a report. */
export interface FormatReportOptions {
  /** Whether to use ANSI colors. @default false */
  readonly color?: boolean
}

/** Characters of an output that is shown. */
const maxShown = 200

/** Formats a report for a terminal: each case with its share of passed attempts, and reasons for failed attempts. */
export function formatReport(report: EvalReport, { color = false }: FormatReportOptions = {}): string {
  const paint = (text: string, code: number) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const mark = ({ passed, total }: EvalRate) => (passed === total ? paint('✓', 32) : paint('✗', 31))
  const lines: string[] = []
  for (const { name, passes, attempts } of report.cases) {
    lines.push(`${mark(passes)} ${inOneLine(name)}  ${rateText(passes)}`)
    for (const [index, attempt] of attempts.entries()) {
      if (!attempt.passed) lines.push(...faultsOf(attempt).map((fault) => `    #${index + 1} ${fault}`))
    }
  }
  lines.push('', ...report.scorers.map(scorerLine))
  lines.push(`${mark(report.passes)} ${rateText(report.passes)} in ${secondsOf(report.durationMs)} s`)
  return lines.join('\n')
}

const scorerLine = ({ name, passes, mean }: EvalScorerReport) =>
  `  ${inOneLine(name)}: ${rateText(passes)}, mean ${mean.toFixed(2)}`

/** Why an attempt did not pass, a line each. */
function faultsOf({ error, scores, output }: EvalAttempt): string[] {
  const failed = scores.filter(
    ({ passed, reason }) => !passed && (error === undefined || reason !== undefined),
  )
  const faults = failed.map(({ scorer, value, reason }) => {
    const why = reason === undefined ? '' : ` – ${inOneLine(reason)}`
    return `${inOneLine(scorer)}: ${value.toFixed(2)}${why}`
  })
  const shown = output === '' ? [] : [`output: ${inOneLine(output)}`]
  return [...(error === undefined ? [] : [`failed: ${inOneLine(error)}`]), ...faults, ...shown]
}

/** Texts of models: no line breaks, and nothing that a terminal acts on. */
function inOneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return plain.length > maxShown ? `${plain.slice(0, maxShown)}…` : plain
}

/** Such as `4/5 passed, 80% (38–96%)`. */
export const rateText = ({ passed, total, rate, low, high }: EvalRate) =>
  `${passed}/${total} passed, ${percent(rate)}% (${percent(low)}–${percent(high)}%)`

const percent = (share: number) => Math.round(share * 100)

/** With one decimal. */
export const secondsOf = (ms: number) => (ms / 1000).toFixed(1)
