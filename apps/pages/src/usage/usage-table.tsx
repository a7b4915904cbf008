import type { UsageReport } from '@homeward/contract/agent-platform'
import '../components/table/plain-table.css'
import { formatStart, formatValue } from './format-usage.ts'
import type { UsageMetric, UsageSeries } from './usage-series.ts'

/** What a {@link UsageTable} takes. */
interface UsageTableProps {
  readonly series: UsageSeries
  /** What the series are called. */
  readonly labels: readonly string[]
  readonly metric: UsageMetric
  readonly interval: UsageReport['interval']
}

/** The numbers of the plot, the newest first. Times without a call are left out. */
export function UsageTable({ series, labels, metric, interval }: UsageTableProps) {
  const { names, points, totals } = series
  const used = points.filter(({ values }) => values.some((value) => value > 0)).toReversed()
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plain-table-frame usage-table" role="region" aria-label="Usage in numbers" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{interval === 'day' ? 'Day (UTC)' : 'Hour'}</th>
            {names.map((name, place) => (
              <th key={name} scope="col" className="end foreign">
                {labels[place]}
              </th>
            ))}
            <th scope="col" className="end">
              Together
            </th>
          </tr>
        </thead>
        <tbody>
          {used.map(({ start, values }) => (
            <tr key={start}>
              <th scope="row">{formatStart(start, interval)}</th>
              {names.map((name, place) => (
                <td key={name} className="end">
                  {formatValue(values[place] ?? 0, metric)}
                </td>
              ))}
              <td className="end">{formatValue(sum(values), metric)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Together</th>
            {names.map((name, place) => (
              <td key={name} className="end">
                {formatValue(totals[place] ?? 0, metric)}
              </td>
            ))}
            <td className="end">{formatValue(sum(totals), metric)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}
