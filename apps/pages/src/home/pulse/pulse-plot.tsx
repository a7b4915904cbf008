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
import { formatPoint, formatWholePoint } from './pulse-series.ts'
import { type PulsePoint, type PulseRange, results } from './pulse-series.ts'
import { resultNames } from './pulse-series.ts'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'

/** What a {@link PulsePlot} takes. */
export interface PulsePlotProps {
  readonly points: readonly PulsePoint[]
  readonly range: PulseRange
}

/**
 * Runs over time, and the way from a part of them to the list of runs: by dragging over the bars, or by the fields below. The table says
 * the same as the bars, so these are hidden from those who do not see them.
 */
export default function PulsePlot({ points, range }: PulsePlotProps) {
  const starts = useMemo(() => points.map(({ startMs }) => startMs), [points])
  const [span, setSpan] = useState({ first: 0, last: points.length - 1 })
  const drag = useDrag(starts)
  return (
    <>
      <PulseBars points={points} range={range} drag={drag} />
      <PulseSpanForm starts={starts} range={range} span={span} onChange={setSpan} />
    </>
  )
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

/** What a {@link PulseSpanForm} takes. */
interface PulseSpanFormProps {
  readonly starts: readonly number[]
  readonly range: PulseRange
  readonly span: PulseSpan
  readonly onChange: (span: PulseSpan) => void
}

/** Chooses a part of the pulse without a mouse. */
function PulseSpanForm({ starts, range, span, onChange }: PulseSpanFormProps) {
  const { first, last } = span
  const firsts = starts.map((startMs, place) => ({
    value: String(place),
    label: formatWholePoint(startMs, range),
  }))
  // An hour ends with the begin of the next one; a day is named itself.
  const lasts = starts.map((startMs, place) => ({
    value: String(place),
    label:
      place === starts.length - 1
        ? 'Now'
        : formatWholePoint(range === 'day' ? (starts[place + 1] ?? startMs) : startMs, range),
  }))
  return (
    <div className="pulse-span">
      <SelectField
        label="From"
        options={firsts}
        value={String(first)}
        onChange={(place) => onChange({ first: Number(place), last: Math.max(Number(place), last) })}
      />
      <SelectField
        label="To"
        options={lasts}
        value={String(last)}
        onChange={(place) => onChange(spanOf(Math.min(first, Number(place)), Number(place)))}
      />
      <LinkButton href={activityLink(starts, span)}>Show in Activity</LinkButton>
    </div>
  )
}

/** Points of the pulse, by their places: from the begin of the first to the end of the last one. */
interface PulseSpan {
  readonly first: number
  readonly last: number
}

/** A span between two points, whichever was named first. */
export const spanOf = (one: number, other: number): PulseSpan => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})

/**
 * Address of the runs that began in a span. One that goes until now has no end, so that newer runs are listed, too.
 *
 * @param starts begins of all points in milliseconds since 1970
 */
export function activityLink(starts: readonly number[], { first, last }: PulseSpan): string {
  const [from, to] = [starts[first], starts[last + 1]]
  const search = new URLSearchParams()
  if (from !== undefined) search.set('from', new Date(from).toISOString())
  if (to !== undefined) search.set('to', new Date(to).toISOString())
  return `/runs?${search}`
}
