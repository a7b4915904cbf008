import { expect, it } from 'vitest'
import { toCaseReport, toReport, type EvalAttempt } from './eval-report.ts'
import { evalMatchers, formatReport, reportToHtml } from './index.ts'
import { rateOf } from './wilson.ts'

const usage = { input_tokens: 10, output_tokens: 5 }
const passed: EvalAttempt = { runId: 'r1', output: 'Fine.', durationMs: 10, usage, scores: [], passed: true }
const hostile = '<script>alert("x")</script>\u001b[2J\nand\u202e more'
const failed: EvalAttempt = {
  output: hostile,
  durationMs: 10,
  scores: [{ scorer: 'polite', value: 0.2, passed: false, reason: hostile }],
  passed: false,
}
const report = toReport(0, 1500, [
  toCaseReport('greets', [passed, passed]),
  toCaseReport('a <b>', [passed, failed]),
])

it.each([
  [0, 5, 0, 0.4345],
  [5, 5, 0.5655, 1],
  [1, 2, 0.0945, 0.9055],
  [0, 0, 0, 1],
])('the interval of %i of %i is from %d to %d', (count, total, low, high) => {
  const rate = rateOf(count, total)
  expect(rate.low).toBeCloseTo(low, 4)
  expect(rate.high).toBeCloseTo(high, 4)
})

it('writes a report for a terminal, in which no text of a model acts on it', () => {
  const text = formatReport(report)
  expect(text.split('\n')).toEqual([
    '✓ greets  2/2 passed, 100% (34–100%)',
    '✗ a <b>  1/2 passed, 50% (9–91%)',
    '    #2 polite: 0.20 – <script>alert("x")</script> [2J and  more',
    '    #2 output: <script>alert("x")</script> [2J and  more',
    '',
    '  polite: 0/1 passed, 0% (0–79%), mean 0.20',
    '✗ 3/4 passed, 75% (30–95%) in 1.5 s',
  ])
  expect(formatReport(report, { color: true })).toContain('\u001b[32m✓\u001b[0m greets')
})

it('writes one page that loads nothing, with everything escaped', () => {
  const page = reportToHtml(report, { title: 'A & B' })
  expect(page).toContain('<title>A &amp; B</title>')
  expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
  expect(page).toContain('a &lt;b&gt;: 1/2 passed')
  expect(page).not.toMatch(/<script|<link|<img|src=|href=|url\(/)
  expect(page).toContain("default-src 'none'")
})

it('matches by the share of passed attempts of each case, or by the lower end of the interval', () => {
  const { toPassEvals } = evalMatchers
  expect(toPassEvals(report).pass).toBe(false)
  expect(toPassEvals(report, { rate: 0.5 }).pass).toBe(true)
  expect(toPassEvals(report, { rate: 0.5, by: 'low' }).pass).toBe(false)
  expect(toPassEvals(report).message()).toContain('Expected each case to reach 100%. "a <b>" did not.')
  expect(toPassEvals(report, { rate: 0 }).message()).toContain('Expected not each case to reach 0%')
})

it('works with expect of Vitest', () => {
  expect.extend(evalMatchers)
  const matching = () =>
    expect(report) as unknown as {
      toPassEvals(options?: object): void
      readonly not: { toPassEvals(): void }
    }
  matching().toPassEvals({ rate: 0.5 })
  matching().not.toPassEvals()
  expect(() => matching().toPassEvals()).toThrow('did not')
})
