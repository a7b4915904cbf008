import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatPoint } from './format-point.ts'
import { type PulsePoint, type PulseRange, results } from './pulse-series.ts'
import { resultNames } from './result-names.ts'

/** What a {@link PulsePlot} takes. */
export interface PulsePlotProps {
  readonly points: readonly PulsePoint[]
  readonly range: PulseRange
}

/** Runs over time as stacked bars. The table says the same, so this is hidden from those who do not see it. */
export default function PulsePlot({ points, range }: PulsePlotProps) {
  return (
    <div className="pulse-plot" aria-hidden>
      <ResponsiveContainer width="100%" height={160}>
        {/* Nothing here takes the focus: it is hidden. */}
        <BarChart
          data={[...points]}
          accessibilityLayer={false}
          margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        >
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="startMs"
            tickFormatter={(startMs: number) => formatPoint(startMs, range)}
            stroke="var(--color-text-muted)"
            tickLine={false}
            minTickGap={24}
            fontSize={12}
          />
          <YAxis
            allowDecimals={false}
            stroke="var(--color-text-muted)"
            tickLine={false}
            axisLine={false}
            width={36}
            fontSize={12}
          />
          <Tooltip
            cursor={{ fill: 'var(--color-hover)' }}
            isAnimationActive={false}
            content={({ active, label, payload }) =>
              active && typeof label === 'number' ? (
                <div className="pulse-tip">
                  <strong>{formatPoint(label, range)}</strong>
                  {payload
                    .filter(({ value }) => Number(value) > 0)
                    .map(({ name, value, graphicalItemId }) => (
                      <span key={graphicalItemId}>
                        {String(name)}: <span className="numeric">{Number(value)}</span>
                      </span>
                    ))}
                </div>
              ) : null
            }
          />
          {results.map((result) => (
            <Bar
              key={result}
              name={resultNames[result]}
              dataKey={result}
              stackId="all"
              fill={`var(--pulse-${result})`}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}
