import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { Link, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import '../../components/table/plain-table.css'
import { formatCount, formatDuration } from '../../components/text/to-shown-text.ts'
import { formatUsd } from '../../usage/format-usage.ts'
import { toTotal } from '../../usage/usage-series.ts'
import { platform } from '../../api/platform.ts'
import { formatRunCount, mostCounted, useRunCount } from '../../api/use-run-count.ts'
import { useUsage } from '../../usage/use-usage.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { Card } from '../../components/layout/card.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { lazyPart } from '../../components/states/lazy-part.ts'
import { QueryView } from '../../components/states/query-view.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { useDeviceCounts } from '../../devices/use-devices.ts'
import { formatPoint } from './pulse-series.ts'
import {
  type PulseRange,
  pulseStarts,
  results,
  toP95Ms,
  toPulse,
  type PulseRun,
  activityLink,
  spanOf,
  waitedMs,
} from './pulse-series.ts'
import './pulse.css'
import { resultNames } from './pulse-series.ts'
import { useQuery } from '@tanstack/react-query'
import type { RunTime } from '@homeward/contract/agent-platform'
import type { PulsePlotProps } from './pulse-plot.tsx'

const PulsePlot = lazyPart(async () => (await import('./pulse-plot.tsx')).default)

const minuteMs = 60_000
const ranges = [
  { range: 'day', label: '24 hours' },
  { range: 'week', label: '7 days' },
] as const satisfies readonly { range: PulseRange; label: string }[]

/** How the last day or week was: runs by result, cost, and devices. */
export function Pulse() {
  const [range, setRange] = useState<PulseRange>('day')
  const now = useNow(minuteMs)
  const first = pulseStarts(range, now)[0]! // a range has a start
  const from = new Date(first).toISOString()
  const runs = usePulseRuns(from)
  return (
    <Card
      title="Pulse"
      actions={
        <ToggleButtonGroup
          aria-label="Time"
          className="pulse-ranges"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[range]}
          onSelectionChange={([chosen]) => setRange(chosen === 'week' ? 'week' : 'day')}
        >
          {ranges.map(({ range: id, label }) => (
            <ToggleButton key={id} id={id} className="pulse-range">
              {label}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      <QueryView query={runs}>
        {(reply) => <PulseView reply={reply} range={range} now={now} from={from} />}
      </QueryView>
    </Card>
  )
}

interface PulseViewProps {
  readonly reply: PulseRuns
  readonly range: PulseRange
  readonly now: number
  readonly from: string
}

function PulseView({ reply, range, now, from }: PulseViewProps) {
  const points = useMemo(() => toPulse(reply.times, pulseStarts(range, now)), [reply, range, now])
  const p95Ms = useMemo(() => toP95Ms(reply.runs), [reply])
  const count = points
    .flatMap((point) => results.map((result) => point[result]))
    .reduce((sum, runs) => sum + runs)
  return (
    <>
      <dl className="pulse-totals">
        <RunTotal name="Runs" query={{ from }} />
        <RunTotal name="Failed" query={{ from, status: 'failed' }} />
        {p95Ms !== undefined && <Total name="95 % done within">{formatDuration(p95Ms)}</Total>}
        <CostTotal range={range} />
        <DevicesTotal />
      </dl>
      {count >= mostCounted && (
        <p className="muted small">The bars show the newest {formatCount(count)} runs.</p>
      )}
      <Suspense fallback={<div className="pulse-plot" />}>
        <PulsePlot key={range} points={points} range={range} />
      </Suspense>
      <Disclosure title="Runs in numbers">
        <PulseTable points={points} range={range} />
      </Disclosure>
    </>
  )
}

interface RunTotalProps {
  readonly name: string
  readonly query: { readonly from: string; readonly status?: 'failed' }
}

/** A number of runs, and the way to the same ones in the list. */
function RunTotal({ name, query }: RunTotalProps) {
  const runs = useRunCount(query)
  if (!runs) return null
  return (
    <Total name={name} href={`/runs?${new URLSearchParams(query).toString()}`}>
      {formatRunCount(runs)}
    </Total>
  )
}

interface TotalProps {
  readonly name: string
  readonly href?: string
  readonly children: ReactNode
}

function Total({ name, href, children }: TotalProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numeric">{href === undefined ? children : <Link href={href}>{children}</Link>}</dd>
    </div>
  )
}

/** Nothing where no model that was used has a price. */
function CostTotal({ range }: { readonly range: PulseRange }) {
  const { data } = useUsage(range)
  const cost = data && toTotal(data).costUsd
  if (cost === undefined) return null
  return (
    <Total name="Cost" href={`/usage?range=${range}`}>
      {formatUsd(cost)}
    </Total>
  )
}

function DevicesTotal() {
  return useServerFacts()?.serves.devices === true ? <OnlineDevices /> : null
}

function OnlineDevices() {
  const { total, online } = useDeviceCounts()
  if (total === undefined || online === undefined) return null
  return (
    <Total name="Devices online" href="/devices">
      {formatCount(online)} of {formatCount(total)}
    </Total>
  )
}

function PulseTable({ points, range }: PulsePlotProps) {
  const starts = points.map(({ startMs }) => startMs)
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plain-table-frame" role="region" aria-label="Runs in numbers" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{range === 'day' ? 'Hour' : 'Day'}</th>
            {results.map((result) => (
              <th key={result} scope="col" className="end">
                {resultNames[result]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points
            .map((point, place) => (
              <tr key={point.startMs}>
                <th scope="row">
                  <Link href={activityLink(starts, spanOf(place, place))}>
                    {formatPoint(point.startMs, range)}
                  </Link>
                </th>
                {results.map((result) => (
                  <td key={result} className="end">
                    {formatCount(point[result])}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

const pageSize = '500'
const readAgainMs = 30_000

/** What the pulse shows of the runs since a time. */
interface PulseRuns {
  readonly times: readonly RunTime[]
  /** The newest 500 runs. */
  readonly runs: readonly PulseRun[]
}

/** Runs since a time, counted by the server. They are read every 30 seconds, not with each event: they may be many. */
function usePulseRuns(from: string) {
  return useQuery({
    queryKey: ['pulse', from],
    queryFn: ({ signal }) => readRuns(from, signal),
    refetchInterval: readAgainMs,
    staleTime: readAgainMs / 2,
  })
}

async function readRuns(from: string, signal: AbortSignal): Promise<PulseRuns> {
  const query = { from, limit: pageSize, count: 'time' } as const
  const { runs, times = [] } = await platform.listRuns({ query, signal })
  return {
    times,
    runs: runs.map((run) => ({ durationMs: run.duration_ms, waitedMs: waitedMs(run) })),
  }
}
