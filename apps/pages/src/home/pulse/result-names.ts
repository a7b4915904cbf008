import type { Result } from './pulse-series.ts'

/** What the results of runs are called. */
export const resultNames: Readonly<Record<Result, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  open: 'Running or waiting',
}
