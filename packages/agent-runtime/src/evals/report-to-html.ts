import { cut } from '../json/to-json.ts'
import type { EvalAttempt, EvalCaseReport, EvalReport, EvalScore, EvalScorerReport } from './eval-report.ts'
import { rateText, secondsOf } from './format-report.ts'

/** Characters of an output that are shown. */
const maxShown = 20_000

/** Options of {@link reportToHtml}. */
export interface ReportPageOptions {
  /** Title of the page. @default "Evals" */
  readonly title?: string
}

/**
 * Converts a report to one HTML file without scripts and external files, to open from disk or send by mail. Outputs
 * are cut after 20,000 characters. Text of models and tools is escaped.
 */
export function reportToHtml(report: EvalReport, { title = 'Evals' }: ReportPageOptions = {}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escape(title)}</h1>
<p>${escape(rateText(report.passes))} in ${secondsOf(report.durationMs)} s, started at ${escape(report.startedAt)}.
Intervals: 95%, Wilson score.</p>
${scorerTable(report.scorers)}
<h2>Cases</h2>
${report.cases.map(caseSection).join('\n')}
</body>
</html>
`
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.3rem .6rem;border-bottom:1px solid #8886;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8882;padding:.6rem}summary{cursor:pointer;padding:.3rem 0}
.passed::before{content:"✓ ";color:#1a7f37}.failed::before{content:"✗ ";color:#d1242f}`

function scorerTable(scorers: readonly EvalScorerReport[]): string {
  if (scorers.length === 0) return ''
  const rows = scorers.map(
    ({ name, passes, mean }) =>
      `<tr><td>${escape(name)}</td><td>${escape(rateText(passes))}</td><td>${mean.toFixed(2)}</td></tr>`,
  )
  return `<table><thead><tr><th>Scorer</th><th>Passed</th><th>Mean</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function caseSection({ name, passes, attempts }: EvalCaseReport): string {
  const isPassed = passes.passed === passes.total
  return `<details${isPassed ? '' : ' open'}>
<summary class="${classOf(isPassed)}">${escape(name)}: ${escape(rateText(passes))}</summary>
${attempts.map(attemptSection).join('\n')}
</details>`
}

function attemptSection(
  { passed, output, error, durationMs, usage, scores, runId }: EvalAttempt,
  index: number,
): string {
  const tokens = usage ? `, ${usage.input_tokens} tokens in, ${usage.output_tokens} out` : ''
  const run = runId === undefined ? '' : `, run ${runId}`
  return `<h3 class="${classOf(passed)}">Attempt ${index + 1}</h3>
<p>${escape(`${secondsOf(durationMs)} s${tokens}${run}`)}</p>
${error === undefined ? '' : `<p>${escape(error)}</p>`}
<pre>${escape(output.length > maxShown ? `${cut(output, maxShown)}…` : output)}</pre>
${scores.length === 0 ? '' : `<ul>${scores.map(scoreItem).join('')}</ul>`}`
}

const scoreItem = ({ scorer, value, passed, reason }: EvalScore) =>
  `<li class="${classOf(passed)}">${escape(scorer)}: ${value.toFixed(2)}${reason === undefined ? '' : ` – ${escape(reason)}`}</li>`

const classOf = (isPassed: boolean) => (isPassed ? 'passed' : 'failed')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
