import type { ToolCallPart } from '../../ports/message.ts'
import { cut } from '../../json/to-json.ts'
import type { ActiveRun } from '../active-run.ts'

const maxReports = 1000
const maxReportChars = 1000
/** Reports that follow more closely are left out: they are for people, and each is stored. */
const everyMs = 200

/** What a tool reports the progress of one call with, until {@link end}. */
export interface ProgressReports {
  report(text: string): void
  /** Nothing is shown of a call that has ended. */
  end(): void
}

/** Shows what a tool reports of a call that is being made. */
export function createProgressReports(
  run: Pick<ActiveRun, 'log' | 'redact'>,
  { id, name }: Pick<ToolCallPart, 'id' | 'name'>,
  now: () => number,
): ProgressReports {
  let left = maxReports
  let nextAtMs = -Infinity
  return {
    // an app without types may give anything
    report(given: unknown) {
      if (left <= 0 || now() < nextAtMs) return
      const text = cut(run.redact.text(String(given)), maxReportChars)
      if (text === '') return
      left -= 1
      nextAtMs = now() + everyMs
      run.log.push({ event: 'tool_progress', data: { id, name: cut(name, 200), text } })
    },
    end() {
      left = 0
    },
  }
}
