import { expect, it } from 'vitest'
import type { CaseResult } from '../conformance-case.ts'
import { createReporter, type Format } from './create-reporter.ts'

const holds = { document: 'Device cloud reference', section: 'reportSearch', link: 'docs/a.md#b' }
const about = { level: 'core', title: 'A "search" is <reported> & done.', holds, tookMs: 1234 }
const results: readonly CaseResult[] = [
  { ...about, id: 'one', outcome: 'passed' },
  { ...about, id: 'two', outcome: 'failed', reason: 'It was \u0001 not.', seen: ['POST /api -> 200'] },
  { ...about, id: 'three', outcome: 'skipped', reason: 'Nobody started it.' },
]

function written(format: Format): string {
  let text = ''
  const reporter = createReporter(format, 'homeward-conformance device', (more) => void (text += more))
  results.forEach(reporter.add)
  reporter.end(results)
  return text
}

it('writes a line for each case, and why one failed', () => {
  expect(written('text').split('\n')).toEqual([
    'ok one: A "search" is <reported> & done. (1.2 s)',
    'FAILED two: A "search" is <reported> & done. (1.2 s)',
    '    It was \u0001 not.',
    '    See Device cloud reference, reportSearch: docs/a.md#b',
    '      POST /api -> 200',
    'skipped three: A "search" is <reported> & done. (1.2 s)',
    '    Nobody started it.',
    '1 passed, 1 failed, 1 skipped',
    '',
  ])
})

it('writes JUnit XML without characters that XML cannot hold', () => {
  const text = written('junit')
  expect(text).toContain('tests="3" failures="1" skipped="1"')
  expect(text).toContain('name="A &quot;search&quot; is &lt;reported&gt; &amp; done."')
  expect(text).toContain('<failure message="It was \ufffd not.">')
  expect(text).not.toContain('\u0001')
})

it('writes all results as one JSON document', () => {
  expect(JSON.parse(written('json'))).toEqual({ name: 'homeward-conformance device', results })
})
