import type { UsageReport } from '@homeward/contract/agent-platform'
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatShort, formatStart, formatValue } from './format-usage.ts'
import type { UsageMetric, UsageSeries } from './usage-series.ts'

/** What a {@link UsagePlot} takes. */
export interface UsagePlotProps {
  readonly series: UsageSeries
  /** What the series are called. */
  readonly labels: readonly string[]
  readonly metric: UsageMetric
  readonly interval: UsageReport['interval']
}

/** Usage over time as stacked bars. The table says the same, so this is hidden from those who do not see it. */
export default function UsagePlot({ series, labels, metric, interval }: UsagePlotProps) {
  const { names, points } = series
  return (
    <div className="usage-plot" aria-hidden>
      <ResponsiveContainer width="100%" height={320}>
        {/* Nothing here takes the focus: it is hidden. */}
        <BarChart
          data={[...points]}
          accessibilityLayer={false}
          margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        >
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="start"
            tickFormatter={(start: string) => formatStart(start, interval)}
            stroke="var(--color-text-muted)"
            tickLine={false}
            minTickGap={24}
            fontSize={12}
          />
          <YAxis
            tickFormatter={(value: number) => formatShort(value, metric)}
            stroke="var(--color-text-muted)"
            tickLine={false}
            axisLine={false}
            width="auto"
            fontSize={12}
          />
          <Tooltip
            cursor={{ fill: 'var(--color-hover)' }}
            isAnimationActive={false}
            content={({ active, label, payload }) =>
              active && typeof label === 'string' ? (
                <div className="usage-tip">
                  <strong>{formatStart(label, interval)}</strong>
                  {payload
                    .filter(({ value }) => Number(value) > 0)
                    .map(({ name, value, color, graphicalItemId }) => (
                      <span key={graphicalItemId} className="usage-tip-line">
                        <span style={{ background: color }} />
                        <span className="foreign">{String(name)}</span>
                        <span className="numeric">{formatValue(Number(value), metric)}</span>
                      </span>
                    ))}
                </div>
              ) : null
            }
          />
          <Legend
            iconType="square"
            iconSize={10}
            formatter={(name) => <span className="usage-legend">{name}</span>}
          />
          {names.map((name, place) => (
            <Bar
              key={name}
              name={labels[place] ?? name}
              dataKey={(point: UsageSeries['points'][number]) => point.values[place] ?? 0}
              stackId="all"
              fill={`var(--usage-${place + 1})`}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}
