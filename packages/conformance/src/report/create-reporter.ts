import type { CaseResult } from '../conformance-case.ts'
import { formatJunit } from './format-junit.ts'
import { resultLines, summaryLine } from './format-text.ts'

/** How results are written. */
export const formats = ['text', 'junit', 'json'] as const

/** One of {@link formats}. */
export type Format = (typeof formats)[number]

/** Writes results as they come, or all of them at the end. */
export interface Reporter {
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
