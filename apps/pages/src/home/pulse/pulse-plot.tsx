import { useEffect, useMemo, useState } from 'react'
import {
  Bar,
  BarChart,
  CartesianGrid,
  type MouseHandlerDataParam,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { useLocation } from 'wouter'
import {
  activityLink,
  formatPoint,
  type PulsePoint,
  type PulseRange,
  resultNames,
  results,
  spanOf,
} from './pulse-series.ts'

/** What a {@link PulsePlot} takes. */
export interface PulsePlotProps {
  readonly points: readonly PulsePoint[]
  readonly range: PulseRange
}

/**
 * Runs over time, and the way from a part of them to the list of runs: by a press on a bar, or by dragging over some. The table
 * says the same as the bars and has the same links, so the bars are hidden from those who do not see them.
 */
export default function PulsePlot({ points, range }: PulsePlotProps) {
  const starts = useMemo(() => points.map(({ startMs }) => startMs), [points])
  return <PulseBars points={points} range={range} drag={useDrag(starts)} />
}

/** Where dragging over the bars began and where it is, by the places of the points. */
function useDrag(starts: readonly number[]) {
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number }>()
  const [, navigate] = useLocation()
  const placeOf = ({ activeTooltipIndex: index }: MouseHandlerDataParam) =>
    index === undefined || index === null ? undefined : Number(index)
  // It may end beside the bars.
  useEffect(() => {
    if (!dragged) return undefined
    const end = () => {
      setDragged(undefined)
      navigate(activityLink(starts, spanOf(dragged.from, dragged.to)))
    }
    window.addEventListener('mouseup', end)
    return () => window.removeEventListener('mouseup', end)
  }, [dragged, starts, navigate])
  return {
    span: dragged && spanOf(dragged.from, dragged.to),
    handlers: {
      onMouseDown(state: MouseHandlerDataParam) {
        const place = placeOf(state)
        // a finger shows the numbers of a bar
        if (place !== undefined && !matchMedia('(hover: none)').matches)
          setDragged({ from: place, to: place })
      },
      onMouseMove(state: MouseHandlerDataParam) {
        const place = placeOf(state)
        if (place !== undefined) setDragged((known) => known && { ...known, to: place })
      },
    },
  }
}

interface PulseBarsProps extends PulsePlotProps {
  readonly drag: ReturnType<typeof useDrag>
}

function PulseBars({ points, range, drag: { span, handlers } }: PulseBarsProps) {
  const [first, last] = [points[span?.first ?? -1], points[span?.last ?? -1]]
  return (
    <div className="pulse-plot" aria-hidden>
      <ResponsiveContainer width="100%" height={160}>
        {/* Nothing here takes the focus: it is hidden. */}
        <BarChart
          data={[...points]}
          accessibilityLayer={false}
          {...handlers}
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
            width="auto"
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
          {first && last && (
            <ReferenceArea x1={first.startMs} x2={last.startMs} fill="var(--color-text)" fillOpacity={0.12} />
          )}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}
